"""Numbers in addresses: no longer than a database can hold, so that a longer one is an address that there is not."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import IntConverter


class NumberConverter(IntConverter):
    """A whole number of at most 15 digits, as every number of the API is."""

    regex = "[0-9]{1,15}"


register_converter(NumberConverter, "number")
