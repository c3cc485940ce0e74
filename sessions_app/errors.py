"""What goes wrong in sessions beside what the protocol refuses."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_app.mesh.errors import Problem, StatehouseError


class TurnNotActive(StatehouseError):
    """A turn that was committed or cancelled takes nothing more."""

    code, status = "TURN_NOT_ACTIVE", 409
    message = "Turn {turn} is {state}. Begin another one."


class CommitConflict(StatehouseError):
    """A turn has its commit, and what comes now is another one."""

    code, status = "COMMIT_CONFLICT", 409
    message = "Turn {turn} was committed with other content. One turn has one commit; regenerate the reply for another."


class ContextStale(StatehouseError):
    """What the caller decided on was read before a configuration or a rebuild."""

    code, status = "CONTEXT_STALE", 409
    message = "The state was configured or rebuilt since: epoch {expected} is gone, it is {current} now. Read it again."


class CorrectionInvalid(StatehouseError):
    """A correction does not name the draft that is kept: its token is wrong or old, or there is none."""

    code, status = "COMMIT_RETRY_INVALID", 409
    message = "This is not the token of a commit that waits to be corrected. Send the whole commit again."


class CorrectionStale(StatehouseError):
    """The state was configured or rebuilt after the commit was refused."""

    code, status = "COMMIT_RETRY_STALE", 409
    message = "The state was configured or rebuilt since the commit was refused. Read it and send a whole commit."


class OwnerRequired(StatehouseError):
    """A configuration names no reply that could own it."""

    code, status = "STATE_OWNER_REQUIRED", 409
    message = "A configuration is owned by the reply that asks for it: {detail}"


class NotAReply(StatehouseError):
    """Only what an assistant said can be regenerated, or has variants to choose from."""

    code, status = "NOT_A_REPLY", 422
    message = "Message {message} is a {role} message. Name a reply of the assistant."


class NamespaceTooLarge(StatehouseError):
    """A value would be larger than what is stored of one namespace."""

    code, status = "NAMESPACE_TOO_LARGE", 422
    message = "The value of {namespace} would have {sizeBytes} bytes; at most {limitBytes} are kept. Keep less in it."


class CommitTooLarge(StatehouseError):
    """The effects of a commit are larger than one commit may be."""

    code, status = "COMMIT_TOO_LARGE", 413
    message = "The commit has {sizeBytes} bytes; at most {limitBytes} are taken. Send smaller values."


class SessionFull(StatehouseError):
    """A session has as many messages as it may have."""

    code, status = "SESSION_FULL", 409
    message = "The session has {limit} messages, which is the most. Fork it, or begin another one."


class NotQuarantined(StatehouseError):
    """An entity that counts, or was retracted, cannot be released or skipped."""

    code, status = "NOT_QUARANTINED", 409
    message = "Entity {sequence} is {state}, not quarantined. Look at the session as it is now."


class EntityStillFails(StatehouseError):
    """An entity cannot be released: tried at its old place, it is refused as before."""

    code, status = "ENTITY_STILL_FAILS", 409
    message = "Entity {sequence} is still refused: {reason[message]} Mend that first, or skip the entity."


class BookAttached(StatehouseError):
    """A world book is in the session already."""

    code, status = "BOOK_ATTACHED", 409
    message = "The world book {book} is attached to this session already."


class BookArchived(StatehouseError):
    """An archived world book is attached to nothing new."""

    code, status = "BOOK_ARCHIVED", 409
    message = "The world book {book} is archived. Take it out of the archive first."


class DocumentRefused(StatehouseError):
    """A session's document cannot be read in; every problem of one kind is listed with its place."""

    code, status = "DOCUMENT_REFUSED", 422
    message = "The document is not taken, nothing of it was kept: {summary}"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        summary = "; ".join(f"{each.path or '/'} {each.detail.removesuffix('.')}" for each in self.problems[:5])
        super().__init__(summary=f"{summary}.", errors=[each.as_json() for each in self.problems])


class NothingToImport(StatehouseError):
    """A file has nothing that can come into a session that lives already."""

    code, status = "NOTHING_TO_IMPORT", 422
    message = "This file cannot be imported into a session: {detail}"
