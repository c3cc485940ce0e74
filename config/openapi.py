"""OpenAPI 3.1 of the API: what every operation has in common, and the components that operations refer to."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from fabric_app.mesh.http.schemas import COMPONENTS

PROBLEM: dict[str, Any] = {
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
}
ANY_OPERATION = {
    "400": "The request is malformed; `errors` lists every problem.",
    "401": "Nobody is named, or the token is not valid.",
    "403": "The account lacks a permission.",
    "404": "There is nothing of this name that the account can see.",
    "406": "The resource has no form that Accept asks for.",
    "503": "Something that is needed is away for a while; Retry-After says when to try again.",
    "default": "Any other error.",
}
ANY_WRITE = {
    "409": "The state of things forbids it, such as a version that is gone.",
    "412": "The version that If-Match names is gone.",
    "413": "The body, or what would be stored, is too large.",
    "415": "The body is not JSON.",
    "422": "The request is well-formed, and cannot be carried out.",
    "428": "The request has to name a version.",
}
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Schema(AutoSchema):
    """Adds to each operation how it answers errors: one form, everywhere."""

    def get_description(self, *_: Any) -> str:
        """Return the operation's own words: what every door is need not be said of each."""
        return inspect.getdoc(getattr(self.view, self.method.lower())) or ""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            known = ANY_OPERATION | ANY_WRITE if self.method in WRITES else ANY_OPERATION
            for status, meaning in sorted(known.items()):
                operation["responses"].setdefault(status, {"description": meaning, **PROBLEM})
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True
        return operation


class TokenScheme(OpenApiAuthenticationExtension):
    """How a service account shows who it is."""

    target_class = "config.authentication.ServiceTokenAuthentication"
    name = "serviceToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token that `manage.py create_agent` printed."}


class SessionScheme(OpenApiAuthenticationExtension):
    """How a signed-in browser shows who it is."""

    target_class = "config.authentication.BrowserSession"
    name = "browserSession"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Writes need X-CSRFToken too."}


def add_components(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the schemas that operations refer to by name, each app's own too; a hook of the generator."""
    components = result["components"].setdefault("schemas", {})
    components.update(COMPONENTS)
    for app in apps.get_app_configs():
        if module_has_submodule(app.module, "api.components"):
            components.update(import_module(f"{app.name}.api.components").COMPONENTS)
    return result
