"""Every error of the product, found by walking the hierarchy: one code each, a status that HTTP knows, and words."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from http import HTTPStatus
from importlib import import_module
from itertools import combinations

import pytest

import config
import fabric_app
import negotiation_app
import sessions_app
from fabric_app.mesh.errors import StatehouseError
from fabric_app.protocol.errors import StateError
from negotiation_app.protocol.errors import NegotiationError
from sessions_app.protocol.errors import ProtocolRefusal

PACKAGES = (fabric_app, sessions_app, negotiation_app, config)
# Never raised themselves.
BASES = {StatehouseError, StateError, ProtocolRefusal, NegotiationError}
# Programs, not libraries: importing one runs it or changes this process.
PROGRAMS = re.compile(r"\.(migrations|commands|asgi|settings|stages)\b")


def load_everything() -> None:
    """Import every module of the product, so that each error class is known."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not PROGRAMS.search(module.name):
                import_module(module.name)


def below(kind: type[StatehouseError]) -> Iterator[type[StatehouseError]]:
    for each in kind.__subclasses__():
        yield each
        yield from below(each)


def errors() -> list[type[StatehouseError]]:
    """Return the product's own error classes, by code; classes that tests define are passed over."""
    load_everything()
    names = {package.__name__ for package in PACKAGES}
    ours = {each for each in below(StatehouseError) if each.__module__.split(".")[0] in names}
    return sorted(ours - BASES, key=lambda each: (each.code, each.__qualname__))


ERRORS = errors()


class TestTheHierarchy:
    def test_is_there_to_be_walked(self) -> None:
        assert len(ERRORS) > 50

    def test_gives_each_class_a_code_of_its_own_unless_one_is_a_kind_of_the_other(self) -> None:
        alike = [pair for pair in combinations(ERRORS, 2) if len({each.code for each in pair}) == 1]

        assert [pair for pair in alike if not (issubclass(*pair) or issubclass(*reversed(pair)))] == []


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
class TestAnError:
    def test_says_itself_what_it_is(self, error: type[StatehouseError]) -> None:
        own = vars(error)

        assert {"code", "status"} <= set(own)
        assert inspect.getdoc(error) != inspect.getdoc(error.__mro__[1])
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+", error.code)

    def test_has_a_status_that_is_an_error(self, error: type[StatehouseError]) -> None:
        assert HTTPStatus(error.status).value >= HTTPStatus.BAD_REQUEST

    def test_has_a_sentence_that_ends(self, error: type[StatehouseError]) -> None:
        message = error.message

        assert message != StatehouseError.message
        assert message[0].isupper() or message[0] in "{`"
        assert message.endswith((".", "}"))
