"""The document of the API is valid and complete, and the server does what it says, whatever is sent to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework.test import APIClient
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

EXAMPLES = 6
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
HTTP_METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=out)
    read: dict[str, Any] = json.loads(out.getvalue())
    return read


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


class TestTheDocument:
    def test_is_openapi_3_1_without_a_warning(self, document: dict[str, Any]) -> None:
        assert document["openapi"] == "3.1.0"

    def test_describes_every_method_of_every_resource(self, document: dict[str, Any]) -> None:
        resources = [
            pattern
            for root in get_resolver().url_patterns
            for version in getattr(root, "url_patterns", [])
            for pattern in getattr(version, "url_patterns", [])
            if str(root.pattern) == "api/"
        ]
        offered = sum(len(HTTP_METHODS & set(dir(pattern.callback.view_class))) for pattern in resources)

        assert resources
        assert len(list(operations(document))) == offered

    def test_names_how_each_operation_answers_and_fails(self, document: dict[str, Any]) -> None:
        for method, path, operation in operations(document):
            assert operation["summary"], (method, path)
            assert {"400", "401", "403", "404", "default"} <= set(operation["responses"]), (method, path)

    def test_defines_everything_that_it_refers_to(self, document: dict[str, Any]) -> None:
        def references(value: Any) -> Iterator[str]:
            if isinstance(value, dict):
                yield from (ref for ref in [value.get("$ref")] if isinstance(ref, str))
                value = list(value.values())
            if isinstance(value, list):
                for item in value:
                    yield from references(item)

        named = {ref.removeprefix("#/components/schemas/") for ref in references(document)}
        assert named <= set(document["components"]["schemas"])

    def test_is_served(self, db: None) -> None:
        assert Client().get("/api/schema/").json()["openapi"] == "3.1.0"


class TestTheReferencePage:
    def test_shows_every_operation_and_needs_nothing_from_elsewhere(self, db: None, document: dict[str, Any]) -> None:
        page = Client().get("/api/docs/").content.decode()

        for method, path, operation in operations(document):
            assert f'id="{operation["operationId"]}"' in page, (method, path)
        assert "<script>" not in page
        assert "//cdn" not in page
        assert ' style="' not in page


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestTheServer:
    @pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    def test_does_what_the_document_says(self, operator: APIClient, mode: GenerationMode) -> None:
        asked = operator.post("/api/v1/workspaces/harbour/runs/", {"action": "verify"}, format="json")
        known = {"slug": "harbour", "run_id": asked.data["id"]}
        schema = schemathesis.openapi.from_wsgi("/api/schema/", WSGIHandler())
        headers = {"Authorization": operator._credentials["HTTP_AUTHORIZATION"]}

        for found in schema.get_all_operations():
            send_examples(found.ok(), known, headers, mode)


def send_examples(operation: Any, known: dict[str, str], headers: dict[str, str], mode: GenerationMode) -> None:
    """Send generated requests to an operation of the known workspace and run, and check each answer."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def sent(case: Any) -> None:
        case.path_parameters = {**case.path_parameters, **{k: v for k, v in known.items() if k in case.path_parameters}}
        case.validate_response(case.call(headers=headers), checks=CHECKS)

    sent()
