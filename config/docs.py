"""The reference page of the API, made of its own OpenAPI document: no script, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

EXAMPLE_HOST = "http://127.0.0.1:8000"
# Members of a schema that make no example.
EXAMPLES = {"string": "text", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}, "null": None}


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show every operation by tag, with its parameters, bodies, answers and an example call."""
    return render(request, "config/api_docs.html", _content())


@lru_cache(maxsize=1)
def _content() -> dict[str, Any]:
    document = SchemaGenerator().get_schema(request=None, public=True)
    operations = list(_operations(document))
    tags = sorted({operation["tag"] for operation in operations})
    return {
        "groups": [{"tag": tag, "operations": [each for each in operations if each["tag"] == tag]} for tag in tags],
        "components": [
            {"name": name, "schema": _pretty(schema)}
            for name, schema in sorted(document["components"]["schemas"].items())
        ],
    }


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = _schema_of(operation.get("requestBody"))
            yield {
                "id": operation["operationId"],
                "tag": operation["tags"][0],
                "method": method.upper(),
                "path": path,
                "summary": _coded(operation.get("summary", operation["operationId"])),
                "description": _coded(operation.get("description", "")),
                "parameters": [
                    {**each, "description": _coded(each.get("description", ""))}
                    for each in operation.get("parameters", [])
                ],
                "body": _pretty(body) if body is not None else "",
                "answers": [_answer(status, answer) for status, answer in operation["responses"].items()],
                "curl": _curl(method.upper(), path, operation, body),
            }


def _coded(text: str) -> SafeString:
    """Return the text with what stands between backticks as code."""
    parts = enumerate(text.split("`"))
    return format_html_join("", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts))


def _answer(status: str, answer: dict[str, Any]) -> dict[str, Any]:
    schema = _schema_of(answer) or {}
    name = schema.get("$ref", "").rpartition("/")[2]
    return {
        "status": status,
        "description": _coded(answer.get("description", "")),
        "component": name,
        "media": ", ".join(answer.get("content", {})),
        "headers": ", ".join(answer.get("headers", {})),
    }


def _curl(method: str, path: str, operation: dict[str, Any], body: dict[str, Any] | None) -> str:
    lines = [f"curl -X {method} {EXAMPLE_HOST}{path}", "-H 'Authorization: Bearer sh_...'"]
    names = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "header"}
    lines += ["-H 'If-Match: \"1\"'"] if "If-Match" in names else []
    if body is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d '{json.dumps(_example(body))}'"]
    return " \\\n  ".join(lines)


def _example(schema: dict[str, Any]) -> Any:
    """Return a small value of the schema: what is required, and nothing else."""
    if "oneOf" in schema:
        return _example(schema["oneOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _example(schema["properties"][name]) for name in schema.get("required", [])}
    return EXAMPLES.get(schema.get("type", "string"))


def _schema_of(part: dict[str, Any] | None) -> dict[str, Any] | None:
    for media in (part or {}).get("content", {}).values():
        schema: dict[str, Any] = media.get("schema", {})
        return schema
    return None


def _pretty(schema: Any) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False)
