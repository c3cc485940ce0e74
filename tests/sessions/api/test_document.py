"""The sessions' API does what its document says, whatever is sent to it."""

from __future__ import annotations

from datetime import timedelta

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.utils import timezone
from schemathesis.generation import GenerationMode

from fabric_app.mesh.accounts import issue
from tests.api.test_openapi import send_examples
from tests.sessions.api.talking import Api, creator

OURS = ("/api/v1/sessions/", "/api/v1/world-books/")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_operation_answers_as_described(mode: GenerationMode) -> None:
    api = Api(creator("mei"))
    _, secret = issue(api.user, name="test", expires_in=timedelta(days=1), now=timezone.now())
    headers = {"Authorization": f"Bearer {secret}"}
    schema = schemathesis.openapi.from_wsgi("/api/schema/", WSGIHandler())

    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.startswith(OURS):
            send_examples(operation, known(api), headers, mode)


def known(api: Api) -> dict[str, str]:
    """Return the parts of addresses that name something: a session of its own for each operation."""
    here = api.new_session()
    api.post(f"{here}/messages/", {"role": "user", "text": "I wait."}, 201)
    turn = api.begin(here)
    book = api.post("world-books/", {"title": "Rain", "entries": []}, 201)["id"]
    api.post(f"{here}/books/", {"book": book}, 201)
    session_id = here.removeprefix("sessions/")
    return {"session_id": session_id, "book_id": book, "number": str(turn), "variant": "1", "sequence": "2"}
