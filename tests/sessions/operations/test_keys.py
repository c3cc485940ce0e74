"""One key for two requests at once: whatever is slower hears that the key is taken, and nothing of it is kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from fabric_app.mesh.idempotency import Idempotency, IdempotencyKeyReused, store_answer
from sessions_app.operations import messages
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import Role
from tests.sessions.places import Place

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_key_that_another_session_takes_meanwhile_is_refused() -> None:
    place = Place()
    mine, others = (Idempotency(user_id=place.user.pk, key="k", request_digest=each) for each in ("mine", "others"))
    here = place.here

    def add() -> None:
        try:
            messages.add_message(**here, role=Role.USER, text="I go on.", idempotency=mine)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            store_answer(others, {}, now=here["now"])
            slower = pool.submit(add)
            time.sleep(0.5)  # long enough for it to wait for the key; if it is not, it finds the key
        with pytest.raises(IdempotencyKeyReused):
            slower.result(60)

    assert not place.session.messages.exists()
    assert check_session(place.id) == []
