"""An ASGI application with the addresses of `live_site`; the product's settings in all else."""

from __future__ import annotations

import django
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler

django.setup()
settings.ROOT_URLCONF = "tests.live.live_site"
settings.MIDDLEWARE = []
application = ASGIHandler()
