"""The controls that several forms of operations share: where something was said, what proves it, what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabric_app.mesh.http.values import Field
from negotiation_app.protocol.names import EvidenceKind, StatedAs

VALUE_HELP = "In short: 182000 USD/year, 5 %, 30 days, 2026-03-31, yes; else JSON or a text."
REF_HELP = "A short name of your own: letters, digits, dots and dashes."


def choices(values: Iterable[Any], *, empty: str | None = None) -> tuple[tuple[str, str], ...]:
    listed = tuple((str(each), str(each).replace("_", " ").lower()) for each in values)
    return listed if empty is None else (("", empty), *listed)


def source_fields() -> list[Field]:
    return [
        Field("locator", "Where it was said or written", help="A mail, a call with its time, a page of a document."),
        Field("text", "What was said", kind="textarea"),
    ]


def item_fields() -> list[Field]:
    return [
        Field("evidenceRef", "Evidence: name", help="Leave empty where there is none."),
        Field("evidenceKind", "Evidence: kind", kind="select", choices=choices(EvidenceKind)),
        Field("evidenceLocator", "Evidence: where it stands"),
        Field("evidenceQuote", "Evidence: in its own words", kind="textarea"),
        Field("evidenceStatedAs", "How it was said", kind="select", choices=choices(StatedAs, empty="not stated")),
    ]


def basis_fields() -> list[Field]:
    return [
        Field("basisReason", "Reason", kind="textarea", required=True),
        Field("basisPropositions", "Rests on propositions", kind="textarea", help="One name a line."),
        *item_fields(),
    ]
