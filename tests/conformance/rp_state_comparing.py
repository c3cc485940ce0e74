"""Projections in the forms in which the scenarios of role-play state tell them; texts for people are left out."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def without_message(diagnostic: Any) -> Json:
    return {name: value for name, value in diagnostic.items() if name != "message"}


def in_short(projection: Json) -> Json:
    """Return what the scenarios tell after each step. projection: its wire form."""
    return {
        "revision": projection["revision"],
        "namespaces": {
            name: {
                "revision": namespace["revision"],
                "value": namespace["value"],
                "lastCommit": [
                    " ".join(filter(None, (each["code"], each.get("ruleId"))))
                    for each in namespace["diagnostics"]["lastCommit"]
                ],
            }
            for name, namespace in projection["namespaces"].items()
        },
    }


def in_full(projection: Json) -> Json:
    """Return what the scenarios tell at the end. projection: its wire form."""
    namespaces = {
        name: {**namespace, "diagnostics": _without_messages(namespace["diagnostics"])}
        for name, namespace in projection["namespaces"].items()
    }
    return {**projection, "namespaces": namespaces}


def _without_messages(diagnostics: Json) -> Json:
    return {**diagnostics, "lastCommit": [without_message(each) for each in diagnostics["lastCommit"]]}
