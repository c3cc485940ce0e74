"""How many questions a list asks of the database: as many for a long page as for a short one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.sessions.api.talking import Api

LISTS = ["sessions/", "world-books/", "{here}/messages/", "{here}/events/", "{here}/entities/", "{here}/books/"]


def asked(api: Api, path: str) -> int:
    # What an account may do is remembered from here on.
    api.get(path)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        api.get(path)
    return len(queries)


@pytest.mark.parametrize("path", LISTS)
def test_a_page_asks_as_often_however_long_it_is(api: Api, here: str, path: str) -> None:
    address = path.format(here=here)
    _add_one_of_each(api, here)
    short = asked(api, address)

    for _ in range(4):
        _add_one_of_each(api, here)

    assert asked(api, address) == short


def _add_one_of_each(api: Api, here: str) -> None:
    api.new_session()
    api.post(f"{here}/messages/", {"role": "user", "text": "On."}, 201)
    api.commit(here)
    book = api.post("world-books/", {"title": "Rain", "entries": []}, 201)["id"]
    api.post(f"{here}/books/", {"book": book}, 201)
