"""Committing a turn: its effects, all or nothing, and correcting a commit that was refused.

- A turn is committed once. The same content again gets the first result; other content is a conflict.
- A refused commit is kept for a while under a token, so that patches can mend it. It is nothing to rely on, so that it
  stands in a transaction of its own, after the refused one was rolled back.
- `epoch` in the body, if the caller gives it, guards against a state that was rebuilt to the same revisions.

Source: rp.state, sections 8, 9 and 13.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fabric_app.mesh.actors import Actor
from fabric_app.mesh.canonical import digest, json_bytes
from sessions_app.errors import CommitConflict, CommitTooLarge, ContextStale, CorrectionStale
from sessions_app.limits import protocol_limits
from sessions_app.models import Session, Turn
from sessions_app.operations.drafts import drop_draft, keep_draft, mended
from sessions_app.operations.entity_rows import add_entity
from sessions_app.operations.loading import turn_of
from sessions_app.operations.state_rows import check_sizes, store_projection
from sessions_app.operations.texts import message_text
from sessions_app.operations.turns import check_active, write_reply
from sessions_app.operations.writing import Writing, writing
from sessions_app.protocol.change_errors import CommitRefused
from sessions_app.protocol.commit import Committed, commit
from sessions_app.protocol.events import EventKind, TurnStatus
from sessions_app.protocol.numbers import in_one_form
from sessions_app.protocol.projection import Projection
from sessions_app.protocol.replay import EntityKind
from sessions_app.protocol.retry_patches import RetryPatchInvalid
from sessions_app.stored_state import projection_at, stored_projection

Json = dict[str, Any]


@dataclass(frozen=True)
class Content:
    """What commits a turn: effects as they came, and where they are given the text of the reply and the epoch read."""

    effects: Any
    text: str | None = None
    epoch: int | None = None

    def as_json(self) -> Json:
        told: Json = {"effects": self.effects, "text": self.text}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class Correction:
    """Patches for the content of a refused commit, and the token that it was kept under."""

    token: str
    patches: Any

    def as_json(self) -> Json:
        return {"retry": {"token": self.token, "patches": self.patches}}


def commit_turn(*, session_id: uuid.UUID, number: int, content: Content, actor: Actor, now: datetime) -> Json:
    """Commit a turn and return `{turn, message, variant, sequence, replayed, projection, changed, diagnostics}`.

    Raises NotFound, TurnNotActive, CommitConflict, ContextStale, CommitTooLarge, NamespaceTooLarge, InvalidArguments;
    CommitRefused with every independent issue, and `retry` with the token of the draft.
    """
    fingerprints = [_fingerprint(content)]
    epoch: list[int] = []
    try:
        with writing(session_id, actor=actor, now=now) as held:
            epoch.append(held.session.epoch)
            turn = turn_of(held.session, number)
            if turn.status == TurnStatus.COMMITTED:
                return first_result(held.session, turn, fingerprints)
            return _committed(held, turn, content, fingerprints)
    except CommitRefused as refused:
        refused.retry = keep_draft(session_id, number, content.as_json(), epoch=epoch[0], now=now)
        raise


def correct_commit(*, session_id: uuid.UUID, number: int, correction: Correction, actor: Actor, now: datetime) -> Json:
    """Mend the refused commit of a turn and commit it; the answer is that of `commit_turn`.

    Raises what `commit_turn` does, RetryPatchInvalid (the draft stays), CorrectionInvalid, CorrectionStale.
    """
    sent = _fingerprint(correction)
    mend: list[tuple[Json, int]] = []
    try:
        with writing(session_id, actor=actor, now=now) as held:
            turn = turn_of(held.session, number)
            if turn.status == TurnStatus.COMMITTED:
                return first_result(held.session, turn, [sent])
            check_active(turn)
            draft, epoch = mended(turn, correction.token, correction.patches, now=now)
            if epoch != held.session.epoch:
                raise CorrectionStale
            mend.append((draft, epoch))
            content = content_of(draft)
            return _committed(held, turn, content, [_fingerprint(content), sent])
    except CommitRefused as refused:
        draft, epoch = mend[0]
        refused.retry = keep_draft(session_id, number, draft, epoch=epoch, now=now)
        raise


def _fingerprint(asked: Content | Correction) -> str:
    # 2 and 2.0 are one value (section 1), so that a client may spell it anew when it sends a commit again.
    return digest(in_one_form(asked.as_json()))


def preview_commit(*, session: Session, number: int, content: Content) -> Json:
    """Return what a commit would answer, `dryRun` beside it; nothing is kept. Raises what `commit_turn` does."""
    turn = turn_of(session, number)
    if turn.status == TurnStatus.COMMITTED:
        return {**first_result(session, turn, [_fingerprint(content)]), "dryRun": True}
    check_active(turn)
    _check(session, content)
    current = stored_projection(session)
    done = _decided(current, content)
    return {"turn": number, "message": turn.message, "variant": turn.variant, "dryRun": True, **outcome(done)}


def first_result(session: Session, turn: Turn, fingerprints: list[str]) -> Json:
    """Return what the commit of a turn answered, for the same content. Raises CommitConflict for other content."""
    if not set(fingerprints) & set(turn.fingerprints):
        raise CommitConflict(turn=turn.number)
    sequence = turn.committed_sequence or 0
    event, projection = projection_at(session, sequence)
    told = {"projection": projection.as_json(), "changed": event["changed"], "diagnostics": event["diagnostics"]}
    return {**_named(turn, sequence), "replayed": True, **told}


def content_of(draft: Any) -> Content:
    """Return the content that a mended draft describes; effects of another form are left to the protocol to refuse.

    Raises RetryPatchInvalid where something else of it would be lost: another member, or a text that is none.
    """
    told = draft if isinstance(draft, dict) else {}
    if told.keys() - {"effects", "text"}:
        raise RetryPatchInvalid(path="/", detail="A commit is corrected in its effects and text alone.")
    text = told.get("text")
    if text is not None and not isinstance(text, str):
        raise RetryPatchInvalid(path="/", detail="The text has to stay a string.")
    return Content(effects=told.get("effects"), text=text)


def outcome(done: Committed) -> Json:
    """Return the projection, what changed path by path, and the diagnostics of a commit."""
    return {
        "projection": done.projection.as_json(),
        "changed": [each.as_json() for each in done.changed],
        "diagnostics": [dict(each) for each in done.diagnostics],
    }


def _committed(held: Writing, turn: Turn, content: Content, fingerprints: list[str]) -> Json:
    check_active(turn)
    _check(held.session, content)
    current = stored_projection(held.session)
    done = _decided(current, content)
    told = outcome(done)
    event = _event(turn, content, fingerprints, done, told)
    sequence = held.append(EventKind.TURN_COMMITTED, event)
    add_entity(
        held,
        sequence=sequence,
        kind=EntityKind.TURN_COMMIT,
        body=event["effects"],
        after=done.projection,
        message=turn.message,
        variant=turn.variant,
        turn=turn.number,
    )
    store_projection(held.session, current, done.projection)
    _end(turn, sequence, fingerprints, content.text)
    return {**_named(turn, sequence), "replayed": False, **told}


def _check(session: Session, content: Content) -> None:
    if content.epoch is not None and content.epoch != session.epoch:
        raise ContextStale(expected=content.epoch, current=session.epoch)
    if content.text is not None:
        message_text(content.text)
    size, limit = json_bytes(content.effects), protocol_limits().commit_bytes
    if size > limit:
        raise CommitTooLarge(sizeBytes=size, limitBytes=limit)


def _decided(current: Projection, content: Content) -> Committed:
    done = commit(current, content.effects, protocol_limits())
    check_sizes(current, done.projection)
    return done


def _event(turn: Turn, content: Content, fingerprints: list[str], done: Committed, told: Json) -> Json:
    text = {} if content.text is None else {"text": content.text}
    return {
        "turn": turn.number,
        "message": turn.message,
        "variant": turn.variant,
        **text,
        "effects": [each.as_json() for each in done.effects],
        "changed": told["changed"],
        "diagnostics": told["diagnostics"],
        "fingerprints": fingerprints,
    }


def _end(turn: Turn, sequence: int, fingerprints: list[str], text: str | None) -> None:
    Turn.objects.filter(pk=turn.pk).update(
        status=TurnStatus.COMMITTED, committed_sequence=sequence, fingerprints=fingerprints
    )
    drop_draft(turn)
    if text is not None:
        write_reply(turn, text)


def _named(turn: Turn, sequence: int) -> Json:
    return {"turn": turn.number, "message": turn.message, "variant": turn.variant, "sequence": sequence}
