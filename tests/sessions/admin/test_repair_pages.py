"""The admin of sessions: rows are there to be looked at, and quarantined entities are repaired with a reason."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from sessions_app.models import Entity, Namespace
from sessions_app.operations import messages
from sessions_app.operations.check import check_session
from sessions_app.protocol.events import EntityStatus
from tests.sessions.places import Place, change, effect

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stuck() -> tuple[Place, int]:
    """A session with one entity in quarantine: she trusts only whom has ten hit points, and they are gone."""
    place = Place()
    healed = place.commit(effect(1, change("set", "/hp", "set-hp", value=9)))
    place.commit(effect(2, change("set", "/hp", "set-hp", value=12)))
    trusted = place.commit(effect(3, change("increment", "/好感度", "trust", by=5)))
    messages.delete_messages(**place.here, numbers=[healed["message"] + 2])
    assert Entity.objects.get(sequence=trusted["sequence"]).status == EntityStatus.QUARANTINED
    return place, trusted["sequence"]


def client_for(place: Place) -> Client:
    client = Client()
    client.force_login(place.user)
    return client


def address(place: Place, sequence: int, action: str) -> str:
    return reverse("admin:sessions_app_session_repair", args=[place.id, sequence, action])


class TestRepairing:
    def test_an_entity_that_is_still_refused_is_told_beforehand_and_stays(self, stuck: tuple[Place, int]) -> None:
        place, sequence = stuck
        client = client_for(place)

        page = client.get(address(place, sequence, "release"))
        sent = client.post(address(place, sequence, "release"), {"reason": "Try it.", "version": place.session.version})

        assert "ENTITY_STILL_FAILS" in page.content.decode()
        assert sent.status_code == 409
        assert "Try it." in sent.content.decode()
        assert Entity.objects.get(sequence=sequence).status == EntityStatus.QUARANTINED

    def test_once_its_condition_holds_before_it_again_it_counts_again(self, stuck: tuple[Place, int]) -> None:
        place, sequence = stuck
        first = Entity.objects.filter(kind="turn-commit").order_by("sequence").first()
        assert first is not None
        messages.delete_messages(**place.here, numbers=[first.message])

        sent = client_for(place).post(
            address(place, sequence, "release"), {"reason": "It holds now.", "version": place.session.version}
        )

        assert sent.status_code == 302
        assert place.value()["好感度"] == 35
        assert check_session(place.id) == []

    def test_skipping_needs_the_version_that_was_seen(self, stuck: tuple[Place, int]) -> None:
        place, sequence = stuck
        seen = place.session.version
        place.say()

        late = client_for(place).post(address(place, sequence, "skip"), {"reason": "No use.", "version": seen})
        again = client_for(place).post(
            address(place, sequence, "skip"), {"reason": "No use.", "version": place.session.version}
        )

        assert (late.status_code, again.status_code) == (409, 302)
        assert Entity.objects.get(sequence=sequence).status == EntityStatus.SKIPPED
        assert check_session(place.id) == []

    def test_a_damaged_projection_is_shown_and_written_anew(self, stuck: tuple[Place, int]) -> None:
        place, _ = stuck
        Namespace.objects.filter(session_id=place.id).update(value={"hp": 1})
        client = client_for(place)
        there = reverse("admin:sessions_app_session_compare", args=[place.id])

        page = client.get(there)
        sent = client.post(there, {"reason": "Disk trouble.", "version": place.session.version})

        assert "is not what the log says" in page.content.decode()
        assert sent.status_code == 302
        assert check_session(place.id) == []


class TestLooking:
    def test_every_list_and_row_opens_and_nothing_can_be_changed(self, stuck: tuple[Place, int]) -> None:
        client = client_for(stuck[0])

        for model, page in admin.site._registry.items():
            if model._meta.app_label != "sessions_app":
                continue
            listed = client.get(reverse(f"admin:sessions_app_{model._meta.model_name}_changelist"))
            assert listed.status_code == 200
            assert not page.has_add_permission(listed.wsgi_request)
            row = model._default_manager.first()
            if row is not None:
                one = client.get(reverse(f"admin:sessions_app_{model._meta.model_name}_change", args=[row.pk]))
                assert one.status_code == 200

    def test_who_may_not_read_a_session_does_not_see_its_repairs(self, stuck: tuple[Place, int]) -> None:
        place, sequence = stuck
        stranger = get_user_model().objects.create_user(username="stranger", is_staff=True)
        client = Client()
        client.force_login(stranger)

        assert client.get(address(place, sequence, "skip")).status_code == 404
        listed = client.get(reverse("admin:sessions_app_session_quarantined"))
        assert "No entity is quarantined" in listed.content.decode()
