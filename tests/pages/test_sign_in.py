from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from fabric_app.operations.accounts import make_sign_in_link


@pytest.fixture
def link(maya: User) -> str:
    return make_sign_in_link(user=maya, now=timezone.now())


def is_signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


class TestOneTimeLink:
    def test_is_not_spent_by_looking_at_it(self, client: Client, link: str):
        shown = [client.get(link), client.head(link), client.get(link)]

        assert [answer.status_code for answer in shown] == [200, 200, 200]
        assert not is_signed_in(client)

    def test_signs_in_when_its_button_is_pressed(self, client: Client, link: str):
        answer = client.post(link)

        assert answer.headers["Location"] == "/"
        assert is_signed_in(client)

    def test_works_once(self, link: str):
        Client().post(link)
        second = Client()

        answer = second.post(link)

        assert answer.status_code == 410
        assert "was used already" in answer.content.decode()
        assert not is_signed_in(second)

    def test_that_was_never_made_says_so(self, client: Client, db: None):
        answer = client.post("/sign-in/nothing/")

        assert answer.status_code == 404
        assert "is not known" in answer.content.decode()


class TestPassword:
    def test_signs_in_and_goes_on_to_the_page_that_asked(self, client: Client, maya: User):
        sent_away = client.get("/system/")

        answer = client.post("/sign-in/", {"username": "maya", "password": "a-long-password", "next": "/system/"})

        assert sent_away.headers["Location"] == "/sign-in/?next=/system/"
        assert answer.headers["Location"] == "/system/"

    def test_does_not_go_on_to_another_site(self, client: Client, maya: User):
        answer = client.post(
            "/sign-in/", {"username": "maya", "password": "a-long-password", "next": "https://elsewhere.example/"}
        )

        assert answer.headers["Location"] == "/"

    @pytest.mark.parametrize("name", ["maya", "nobody", "a\0b", "x" * 5000, ""])
    def test_that_is_wrong_keeps_the_name_and_says_so(self, client: Client, maya: User, name: str):
        answer = client.post("/sign-in/", {"username": name, "password": "wrong"})

        assert answer.status_code == 400
        assert "do not belong together" in answer.content.decode()


class TestSignOut:
    def test_ends_the_session_by_a_form_alone(self, operator: Client):
        by_link = operator.get("/sign-out/")
        still_in = is_signed_in(operator)
        operator.post("/sign-out/")

        assert by_link.status_code == 405
        assert still_in
        assert not is_signed_in(operator)

    def test_makes_a_refresh_lead_to_the_sign_in_page(self, client: Client, db: None):
        answer = client.get("/", headers={"HX-Request": "true"})

        assert answer.headers["HX-Redirect"] == "/sign-in/"
