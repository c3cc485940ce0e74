"""How operations are described: parameters that several share, and the decorator that writes a method's OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from fabric_app.mesh.http import schemas
from fabric_app.mesh.validation import Schema

Method = TypeVar("Method", bound=Callable[..., Any])
Status = int | tuple[int, str]

MEANING = {200: "Done.", 201: "Created.", 202: "Accepted; follow it at Location."}
HEADERS: dict[str, tuple[Schema, str]] = {
    "ETag": (schemas.TEXT, "The version, in double quotes: send it back as If-Match to change what you read."),
    "Location": (schemas.TEXT, "Where the resource is."),
    "Preference-Applied": (schemas.TEXT, "How long the answer was waited for."),
}


def parameter(
    name: str,
    schema: Schema,
    description: str,
    *,
    location: Literal["query", "header"] = "query",
) -> OpenApiParameter:
    return OpenApiParameter(name, type=schema, location=location, description=description)


ARCHIVED = parameter("includeArchived", schemas.BOOLEAN, "Show what is archived as well; `false` by default.")
CURSOR = parameter("cursor", schemas.TEXT, "Where to go on: follow `next` of the page before as it is.")
LIMIT = parameter("limit", schemas.COUNT, "Most items to return; 50 by default, 500 at most.")
AFTER_ENTRY = parameter("after", schemas.SEQUENCE, "Only what follows this sequence number.")
IF_MATCH = parameter(
    "If-Match",
    schemas.ETAG,
    "The ETag that you read. Where it is gone: 412, and nothing is changed.",
    location="header",
)
IDEMPOTENCY_KEY = parameter(
    "Idempotency-Key",
    schemas.IDEMPOTENCY_KEY,
    "A key of your own for this request: sent again with the same key, it has no second effect and the same answer.",
    location="header",
)
PREFER = parameter(
    "Prefer",
    schemas.TEXT,
    "`wait=<seconds>`, at most 60: wait for the outcome, and have it in the answer.",
    location="header",
)
LAST_EVENT_ID = parameter(
    "Last-Event-ID",
    schemas.TEXT,
    "The id of the last event that you have; browsers send it by themselves.",
    location="header",
)


def described(
    operation_id: str,
    summary: str,
    *,
    tag: str,
    responses: Mapping[Status, Schema],
    body: Schema | None = None,
    body_type: str = "application/json",
    parameters: Sequence[OpenApiParameter] = (),
    headers: Mapping[int, Sequence[str]] | None = None,
    description: str | None = None,
) -> Callable[[Method], Method]:
    """Describe a method of a view. Errors, alike everywhere, are added by the schema class that the settings name."""
    answers = {status: _answer(status, schema) for status, schema in responses.items()}
    header_parameters = [
        OpenApiParameter(
            name,
            type=HEADERS[name][0],
            description=HEADERS[name][1],
            location="header",
            response=[status],
        )
        for status, names in (headers or {}).items()
        for name in names
    ]
    decorate: Callable[[Method], Method] = extend_schema(
        operation_id=operation_id,
        summary=summary,
        description=description or "",
        tags=[tag],
        request=None if body is None else {body_type: body},
        responses=answers,
        parameters=[*parameters, *header_parameters],
    )
    return decorate


def _answer(status: Status, schema: Schema) -> OpenApiResponse:
    code = status[0] if isinstance(status, tuple) else status
    return OpenApiResponse(schema, description=MEANING[code])
