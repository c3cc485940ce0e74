"""Opening a negotiation, and extending its frame by parties, issues, attributes and rates. Sections 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from negotiation_app.protocol import paths
from negotiation_app.protocol.bases import take_basis
from negotiation_app.protocol.contradictions import compare_all_again, look_again_at_attribute
from negotiation_app.protocol.draft import Draft
from negotiation_app.protocol.names import Status, Step
from negotiation_app.protocol.rows import Attribute, Frame, Issue, Party, RateRow
from negotiation_app.protocol.statuses import ENGAGED
from negotiation_app.protocol.texts import normal_name


def open_negotiation(draft: Draft, body: Mapping[str, Any]) -> None:
    draft.put(
        Frame(
            ref=body["ref"],
            title=body["title"],
            mode=body["mode"],
            status=Status.ACTIVE,
            expected_to_continue=body.get("expectedToContinue", False),
            counterpart=ENGAGED,
            deadline=None,
            status_seq=1,
        )
    )
    draft.change(paths.STATUS)
    draft.change(paths.MODE)
    for party in body["parties"]:
        _put_party(draft, party)
    for issue in body.get("issues", ()):
        define_issue(draft, issue)
    for attribute in body.get("attributes", ()):
        define_attribute(draft, attribute)
    draft.note(Step.APPLY, f"{body['ref']} is opened")


def add_party(draft: Draft, form: Mapping[str, Any]) -> None:
    _put_party(draft, form)
    draft.move(paths.party(form["ref"]))
    draft.note(Step.APPLY, f"{form['ref']} is a party of side {form['side']}")


def _put_party(draft: Draft, form: Mapping[str, Any]) -> None:
    draft.put(Party(form["ref"], draft.order, form["name"], form["side"]))


def define_issue(draft: Draft, form: Mapping[str, Any]) -> None:
    draft.put(
        Issue(
            ref=form["ref"],
            order=draft.order,
            label=form["label"],
            type=form["type"],
            direction=form["direction"],
            options=tuple(form.get("options", ())),
            weight=form.get("weight"),
        )
    )
    draft.move(paths.issue(form["ref"]))
    draft.note(Step.APPLY, f"issue {form['ref']} is defined")


def define_attribute(draft: Draft, form: Mapping[str, Any]) -> None:
    """An attribute says whether its slots hold one value or many; declared before it matters or after."""
    name = normal_name(form["name"])
    draft.put(Attribute(name, draft.order, form["name"], form.get("multiValued", False)))
    draft.change(f"attributes/{name}")
    look_again_at_attribute(draft, name)
    draft.note(Step.APPLY, f"attribute {name} is defined")


def declare_rate(draft: Draft, form: Mapping[str, Any]) -> None:
    base, quote = form["from"], form["to"]
    path = f"rates/{base}/{quote}"
    basis = take_basis(draft, form.get("basis"), subject=path)
    draft.put(RateRow(draft.order, base, quote, form["rate"], form["asOf"], basis))
    draft.move(path)
    draft.note(Step.APPLY, f"1 {base} is {form['rate']} {quote} from {form['asOf']}")
    compare_all_again(draft)
