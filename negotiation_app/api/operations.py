"""The views of the operations: each takes its body as the protocol reads it, performs it, and sends the answer."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path
from rest_framework.request import Request
from rest_framework.response import Response

from fabric_app.mesh.http.preconditions import etag
from fabric_app.mesh.http.reference import IDEMPOTENCY_KEY, IF_MATCH, described
from fabric_app.mesh.http.schemas import OBJECT, ref
from negotiation_app.api.door import STATE_VERSION, Door, key_of, with_subject, with_version
from negotiation_app.api.routes import ROUTES, Route
from negotiation_app.operations.performing import Asked, perform

NEGOTIATION = "negotiations/<str:ref>/"


def operation_paths() -> list[URLPattern]:
    """Return the address of each operation."""
    return [path(f"{NEGOTIATION}{route.path}", _view(route).as_view(), name=route.name) for route in ROUTES]


def _view(route: Route) -> type[Door]:
    @described(
        _camel(route.operation),
        route.summary,
        tag="negotiations",
        body=OBJECT,
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        responses={route.status: ref("NegotiationAnswer")},
        headers={route.status: ("ETag",)},
    )
    def post(self: Door, request: Request, ref: str, subject: str = "") -> Response:
        negotiation, roles = self.negotiation(ref)
        body = with_subject(with_version(request, request.data), route.subject, subject)
        asked = Asked(route.operation, body, key_of(request))
        answer = perform(negotiation_id=negotiation.pk, asked=asked, roles=roles, actor=self.actor(), now=self.now())
        return Response(answer, status=route.status, headers=_version_header(answer))

    name = "".join(word.capitalize() for word in route.operation.split("_"))
    return type(name, (Door,), {"post": post, "__doc__": route.summary, "__module__": __name__})


def _version_header(answer: dict[str, Any]) -> dict[str, str]:
    version = answer.get(STATE_VERSION)
    return {"ETag": etag(version)} if isinstance(version, int) else {}


def _camel(operation: str) -> str:
    first, *others = operation.split("_")
    return first + "".join(word.capitalize() for word in others)
