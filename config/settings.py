"""Settings from the environment, each variable read once; safe by default.

Embedded (nothing set): SQLite and a folder broker below `STATEHOUSE_HOME`, a secret key that `manage.py up` makes
once and keeps there. Served (`DATABASE_URL`, `REDIS_URL`): the same product on PostgreSQL, Redis and several machines;
then a secret key and host names have to be given. A wrong combination is a system
check with an id (`config/checks.py`).
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import environ

from sessions_app.protocol.limits import Limits, StoredLimits

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- Where the embedded default keeps its files -------------------------------------------------------------
HOME = Path(env.str("STATEHOUSE_HOME", default=str(BASE_DIR / ".statehouse"))).resolve()
SECRET_FILE = HOME / "secret-key"

# --- Safety -------------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
# Empty where nobody gave one: `statehouse.E001` then refuses to serve, and signing raises on its own.
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY and SECRET_FILE.is_file():
    SECRET_KEY = SECRET_FILE.read_text().strip()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = env.bool("STATEHOUSE_TLS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "style-src": ["'self'"],
        "script-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "object-src": ["'none'"],
    }
}

# --- Applications -------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "fabric_app.apps.FabricConfig",
    "sessions_app.apps.SessionsConfig",
    "negotiation_app.apps.NegotiationConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "drf_standardized_errors",
    "django_htmx",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.RequestContext",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "fabric_app.mesh.http.navigation.navigation",
            ]
        },
    }
]

# --- Database -----------------------------------------------------------------------------------------------
DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{HOME / 'statehouse.sqlite3'}")
DATABASES = {"default": env.db_url_config(DATABASE_URL)}
DATABASE = DATABASES["default"]
ON_SQLITE = DATABASE["ENGINE"] == "django.db.backends.sqlite3"
# Unset: the engine's own choice (`test_<name>`, or a file beside the embedded database).
TEST_DB = env.str("STATEHOUSE_TEST_DB", default="")
if ON_SQLITE:
    DATABASE["OPTIONS"] = {
        # IMMEDIATE takes the write lock at BEGIN: a transaction that reads first can then not fail half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": env.float("STATEHOUSE_SQLITE_TIMEOUT_SECONDS", default=60.0),
        # FULL: what was acknowledged survives a power cut. recursive_triggers: REPLACE meets the append-only guards.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON; PRAGMA foreign_keys=ON;"
        ),
    }
    DATABASE["TEST"] = {"NAME": HOME / f"test-{TEST_DB or 'statehouse'}.sqlite3"}
else:
    DATABASE["CONN_HEALTH_CHECKS"] = True
    DATABASE["OPTIONS"] = {
        **DATABASE.get("OPTIONS", {}),
        "pool": {
            "min_size": 1,
            "max_size": env.int("STATEHOUSE_DB_POOL_SIZE", default=16),
            "timeout": 30,
        },
    }
    if TEST_DB:
        DATABASE["TEST"] = {"NAME": TEST_DB}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Accounts -----------------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- Language, time, static files ---------------------------------------------------------------------------
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATEHOUSE_STATIC_ROOT", default=str(HOME / "static")))
STATICFILES_DIRS = [BASE_DIR / "config" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# Where nothing is collected (tests, a checkout that was never brought up) files are found where they lie.
if not STATIC_ROOT.is_dir():
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    WHITENOISE_USE_FINDERS = True

# --- HTTP API -----------------------------------------------------------------------------------------------
DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("STATEHOUSE_MAX_REQUEST_BYTES", default=2 * 1024 * 1024)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "config.authentication.ServiceTokenAuthentication",
        "config.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["config.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["config.renderers.ExactJSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "config.pagination.CursorPages",
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "EXCEPTION_HANDLER": "config.problem.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Statehouse",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": ["config.openapi.add_components"],
}

# --- Jobs ---------------------------------------------------------------------------------------------------
REDIS_URL = env.str("REDIS_URL", default="")
BROKER_FOLDER = HOME / "broker"

# --- Mail (notifications of negotiations); without an address none is sent ----------------------------------
EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(env.email_url("EMAIL_URL"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="statehouse@localhost")

# --- What the product allows (seconds, bytes, counts) -------------------------------------------------------
STATEHOUSE = {
    "MAX_EVENT_BYTES": env.int("STATEHOUSE_MAX_EVENT_BYTES", default=262_144),
    "SESSION_LIMITS": {
        each.name: env.int(f"STATEHOUSE_SESSION_{each.name.upper()}", default=each.default) for each in fields(Limits)
    },
    "SESSION_STORED_LIMITS": {
        each.name: env.int(f"STATEHOUSE_SESSION_{each.name.upper()}", default=each.default)
        for each in fields(StoredLimits)
    },
    "SENDS_MAIL": bool(EMAIL_URL),
    # The full state written out at a version; beyond it the concise one is kept. 0 means no limit.
    "ARTEFACT_MAX_BYTES": env.int("STATEHOUSE_ARTEFACT_MAX_BYTES", default=0) or None,
    "MAX_READ_EVENTS": env.int("STATEHOUSE_MAX_READ_EVENTS", default=500),
    "WORKSPACE_ROOTS": [
        Path(root) for root in env.list("STATEHOUSE_WORKSPACE_ROOTS", default=[str(HOME / "workspaces")])
    ],
    "MAX_COMMAND_TIMEOUT_MS": env.int("STATEHOUSE_MAX_COMMAND_TIMEOUT_MS", default=3_600_000),
    "RUN_STORED_OUTPUT_BYTES": env.int("STATEHOUSE_RUN_STORED_OUTPUT_BYTES", default=8 * 1024 * 1024),
    "RUN_LEASE_SECONDS": env.int("STATEHOUSE_RUN_LEASE_SECONDS", default=15),
    "RUN_AS_USER": env.str("STATEHOUSE_RUN_AS_USER", default=""),
    "RUN_MAX_PROCESSES": env.int("STATEHOUSE_RUN_MAX_PROCESSES", default=0),
    "RUN_MAX_MEMORY_BYTES": env.int("STATEHOUSE_RUN_MAX_MEMORY_BYTES", default=0),
    "RUN_MAX_FILE_BYTES": env.int("STATEHOUSE_RUN_MAX_FILE_BYTES", default=0),
    "RUN_MAX_OPEN_FILES": env.int("STATEHOUSE_RUN_MAX_OPEN_FILES", default=0),
    "RUN_MAX_CPU_SECONDS": env.int("STATEHOUSE_RUN_MAX_CPU_SECONDS", default=0),
    "RUN_ENVIRONMENT": env.list("STATEHOUSE_RUN_ENVIRONMENT", default=[]),
    "SOURCE_MAX_BYTES": env.int("STATEHOUSE_SOURCE_MAX_BYTES", default=2 * 1024 * 1024),
    "COUNT_TIMEOUT_SECONDS": env.float("STATEHOUSE_COUNT_TIMEOUT_SECONDS", default=20.0),
    "COUNT_MEMORY_BYTES": env.int("STATEHOUSE_COUNT_MEMORY_BYTES", default=1024 * 1024 * 1024),
    "SSE_HEARTBEAT_SECONDS": env.float("STATEHOUSE_SSE_HEARTBEAT_SECONDS", default=15.0),
    "SSE_POLL_SECONDS": env.float("STATEHOUSE_SSE_POLL_SECONDS", default=0.1),
    "WORKER_SEEN_SECONDS": env.int("STATEHOUSE_WORKER_SEEN_SECONDS", default=30),
    "WORKER_GROUP": env.str("STATEHOUSE_WORKER_GROUP", default="default"),
}

# --- Looking in from outside: logs and numbers --------------------------------------------------------------
LOG_FORMAT = env.str("STATEHOUSE_LOG_FORMAT", default="json")
LOG_LEVEL = env.str("STATEHOUSE_LOG_LEVEL", default="INFO")
LOGGING_CONFIG = "config.logs.configure"
LOGGING = {"format": LOG_FORMAT, "level": LOG_LEVEL}
METRICS_TOKEN = env.str("STATEHOUSE_METRICS_TOKEN", default="")
