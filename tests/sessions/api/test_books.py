"""World books: made, read, saved whole under a version, archived, and attached to sessions."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.sessions.api.talking import Api, creator

RAIN = {"id": "rain", "content": "It rains.", "keys": ["雨"], "stateCondition": 'state("story", "/hp") > 5'}


def new_book(api: Api, title: str = "Rain", *entries: Any) -> str:
    return api.post("world-books/", {"title": title, "entries": list(entries) or [RAIN]}, 201)["id"]


class TestTheList:
    def test_holds_each_book_once_by_title_also_of_many_with_one_title(self, api: Api) -> None:
        made = {new_book(api, title) for title in ["Rain"] * 7 + ["雨", "Lamp", "Zoo"]}

        shown = api.all_pages("world-books/?limit=2")

        assert len(shown) == 10
        assert {each["id"] for each in shown} == made
        assert [each["title"] for each in shown[1:8]] == ["Rain"] * 7
        assert "entries" not in shown[0]

    def test_leaves_archived_ones_out(self, api: Api) -> None:
        book = new_book(api)
        api.post(f"world-books/{book}/archive/", {"expectedVersion": 1}, 200)

        assert api.get("world-books/")["results"] == []
        assert len(api.get("world-books/?includeArchived=true")["results"]) == 1

    def test_holds_those_alone_that_one_may_read(self, api: Api) -> None:
        book = new_book(api)
        other = Api(creator("otto"))

        assert other.get("world-books/")["results"] == []
        other.get(f"world-books/{book}/", 404)

    @pytest.mark.parametrize("place", ["", "x", "Rain x", " "])
    def test_refuses_a_place_of_another_list(self, api: Api, place: str) -> None:
        cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")

        assert api.get(f"world-books/?cursor={cursor}", 400)["errors"][0]["path"] == "/cursor"


class TestSaving:
    def test_replaces_title_and_entries_at_a_version(self, api: Api) -> None:
        book = new_book(api)
        api.get(f"world-books/{book}/")
        tag = api.headers["ETag"]
        body = {"title": "Storm", "entries": [{**RAIN, "id": "storm"}]}

        saved = api.send("put", f"world-books/{book}/", body, 200, **{"If-Match": tag})
        late = api.send("put", f"world-books/{book}/", body, 412, **{"If-Match": tag})

        assert (saved["title"], saved["version"], saved["entries"][0]["id"]) == ("Storm", 2, "storm")
        assert late["current"] == 2

    def test_has_to_name_the_version(self, api: Api) -> None:
        body = {"title": "Storm", "entries": []}

        assert api.send("put", f"world-books/{new_book(api)}/", body, 428)["code"] == "VERSION_REQUIRED"

    @pytest.mark.parametrize(
        ("entries", "path"),
        [
            ([{**RAIN, "stateCondition": "hp > 1"}], "/entries/0/stateCondition"),
            ([RAIN, RAIN], "/entries/1/id"),
            ([{}], "/entries/0/content"),
            (["x"], "/entries/0"),
            ("x", "/entries"),
            (None, "/entries"),
        ],
    )
    def test_says_where_an_entry_is_wrong(self, api: Api, entries: Any, path: str) -> None:
        refused = api.post("world-books/", {"title": "Rain", "entries": entries}, 422)

        assert path in {each["path"] for each in refused["errors"]}

    def test_reports_what_the_body_lacks(self, api: Api) -> None:
        refused = api.post("world-books/", {"name": "x"}, 400)

        assert {each["path"] for each in refused["errors"]} == {"/title", "/name", "/entries"}


class TestAttaching:
    def test_binds_books_in_order_and_takes_them_out(self, api: Api, here: str) -> None:
        first, second = new_book(api, "First"), new_book(api, "Second")
        for book in (first, second):
            api.post(f"{here}/books/", {"book": book}, 201)

        api.send("delete", f"{here}/books/{first}/", status=200)

        assert api.get(f"{here}/books/")["results"] == [{"id": second, "isHere": True, "title": "Second", "version": 1}]
        api.send("delete", f"{here}/books/{first}/", status=404)

    def test_twice_or_from_the_archive_is_refused(self, api: Api, here: str) -> None:
        book, old = new_book(api), new_book(api, "Old")
        api.post(f"{here}/books/", {"book": book}, 201)
        api.post(f"world-books/{old}/archive/", {}, 200, **{"If-Match": '"1"'})

        assert api.post(f"{here}/books/", {"book": book}, 409)["code"] == "BOOK_ATTACHED"
        assert api.post(f"{here}/books/", {"book": old}, 409)["code"] == "BOOK_ARCHIVED"

    @pytest.mark.parametrize(("named", "status"), [("x", 400), (1, 400), ("0" * 32, 404), ("0" * 37, 400)])
    def test_of_what_is_not_there_is_refused(self, api: Api, here: str, named: Any, status: int) -> None:
        api.post(f"{here}/books/", {"book": named}, status)

    def test_needs_a_book_that_one_may_read(self, api: Api, here: str) -> None:
        api.post(f"{here}/books/", {"book": new_book(Api(creator("otto")))}, 404)
