"""A session with a history, and people who look at it through a browser's eyes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from guardian.shortcuts import assign_perm

from tests.sessions.places import Place, change, effect

HOSTILE = "<script>alert('雨')</script>"


@pytest.fixture
def place(db: None) -> Place:
    """雨夜: a message, a turn that changed two places, and a greeting that looks like HTML."""
    place = Place()
    place.say(HOSTILE)
    place.commit(
        effect(1, change("increment", "/hp", "hp", by=5), change("append", "/背包", "pick-up", value=HOSTILE)),
        text="She hands you a key.",
    )
    return place


@pytest.fixture
def browser(place: Place) -> Client:
    """Mei's browser: she may do everything."""
    return browser_of(place.user)


@pytest.fixture
def reader(place: Place) -> Client:
    """Rosa may read the session and nothing else."""
    rosa = User.objects.create_user("rosa")
    assign_perm("sessions_app.read_session", rosa, place.session)
    return browser_of(rosa)


@pytest.fixture
def writer(place: Place) -> Client:
    """Wim may read and write, not correct."""
    wim = User.objects.create_user("wim")
    for permission in ("read_session", "write_session"):
        assign_perm(f"sessions_app.{permission}", wim, place.session)
    return browser_of(wim)


@pytest.fixture
def stranger(db: None) -> Client:
    """Stig has an account and no permission."""
    return browser_of(User.objects.create_user("stig"))


@pytest.fixture
def operator(db: None) -> Client:
    olga = User.objects.create_user("olga")
    olga.groups.add(Group.objects.get(name="operator"))
    return browser_of(olga)


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
