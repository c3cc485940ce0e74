"""What Hypothesis draws for the protocol: any JSON, hostile texts, and logs of events that name each other."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

IDS = ["t1", "t2", "t3", "t4"]
LABELS = ["a", "b", "c", ""]

texts = st.text(max_size=20) | st.sampled_from(LABELS)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(["\ud800", 1.0, 2.0, 10**400])
)
any_json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def loosely(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Objects with some of the fields, each sometimes of a wrong type, and now and then no object at all."""
    optional = {name: value | any_json for name, value in fields.items()}
    return st.fixed_dictionaries({}, optional=fields) | st.fixed_dictionaries({}, optional=optional) | any_json


identities = {"transitionId": st.sampled_from(IDS), "label": st.sampled_from(LABELS), "to": st.sampled_from(LABELS)}
well_formed_targets = st.fixed_dictionaries(identities)
bindings = st.fixed_dictionaries({**identities, "version": st.integers(1, 3)})
digests = st.just("sha256:" + "0" * 64)

verification_data = st.fixed_dictionaries(
    {
        "targets": st.lists(well_formed_targets, min_size=1, max_size=3),
        "evidenceDigest": digests,
        "resultDigest": digests,
    },
    optional={"head": bindings | st.none(), "ts": st.integers(0, 9)},
)
transition_data = st.fixed_dictionaries(
    {"label": st.sampled_from(LABELS), "to": st.sampled_from(LABELS), "summary": st.just("claim")},
    optional={
        "phase": st.sampled_from(["proposed", "proposed", "proposed", "committed", "rejected", "odd", None]),
        "kind": st.sampled_from(["state", "state", "representation"]),
        "from": st.sampled_from(LABELS),
        "evidence": st.lists(st.sampled_from(["true", " ", ""]), max_size=2),
        "certificationStatus": st.just("pending"),
    },
)
markers = st.fixed_dictionaries({"transitionId": st.sampled_from(IDS)})
kinds_with_data = st.one_of(
    st.tuples(st.just("transition"), transition_data),
    st.tuples(st.sampled_from(["transition.committed", "transition.rejected"]), markers),
    st.tuples(st.just("state.certified"), verification_data),
    st.tuples(st.just("state.violated"), verification_data),
    st.tuples(
        st.sampled_from(["transition", "transition.committed", "state.certified", "state.violated", "noise"]), any_json
    ),
)


@st.composite
def logs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A log whose events have rising sequences; the nth transition event has the nth id, later ones their own."""
    events: list[dict[str, Any]] = []
    free = list(IDS)
    for kind, data in draw(st.lists(kinds_with_data, max_size=14)):
        sequence = len(events) + 1
        event_id = free.pop(0) if kind == "transition" and free else f"e{sequence}"
        events.append({"id": event_id, "sequence": sequence, "kind": kind, "data": data, "createdAt": sequence})
    return events


head_values = loosely(
    {
        **identities,
        "protocolVersion": st.sampled_from([1, 2, 2, 3, "2"]),
        "commitProof": st.fixed_dictionaries(
            {"version": st.sampled_from([1, 1, 2]), "status": st.sampled_from(["pending", "committed", "odd"])}
        ),
        "transitionSequence": st.integers(0, 5),
        "certificate": st.fixed_dictionaries(
            {
                "certificateId": st.just("e1"),
                "sequence": st.integers(1, 9),
                "certificationStatus": st.just("certified"),
                "targets": st.lists(well_formed_targets, max_size=2),
                "head": bindings,
                "evidenceDigest": digests,
                "resultDigest": digests,
            }
        ),
        "certificationStatus": st.sampled_from(["pending", "certified"]),
    }
)

hostile_characters = st.sampled_from(["a", "\x00", "\x1b", '"', "\\", "\n", "\u20ac", "\U0001f600", "\ud800", "\x7f"])


@st.composite
def long_texts(draw: st.DrawFn, most: int = 40_000) -> str:
    """A text of up to `most` characters: a short pattern of hostile characters, repeated."""
    pattern = "".join(draw(st.lists(hostile_characters, min_size=1, max_size=4)))
    return (pattern * (draw(st.integers(0, most)) // len(pattern) + 1))[:most]
