"""The kinds of things that an import's report tells, each with its severity and its sentence.

Source: users of rp.state, "The files people bring", sections 1 and 2.
"""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How much a notice matters: nothing is lost, something works differently, something is missing."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class NoticeCode(StrEnum):
    """One kind of thing that is told; what is not used is kept for export."""

    severity: Severity
    sentence: str

    def __new__(cls, code: str, severity: Severity, sentence: str) -> NoticeCode:
        member = str.__new__(cls, code)
        member._value_ = code
        member.severity = severity
        member.sentence = sentence
        return member

    # How entries work differently here.
    PROBABILITY = (
        "PROBABILITY_NOT_USED",
        Severity.WARNING,
        "A probability is not used: the entry is active whenever its state, keys and text say so.",
    )
    TIMING = (
        "TIMING_NOT_USED",
        Severity.WARNING,
        "Sticky, cooldown and delay are not used: only the state and the text that is asked about count.",
    )
    GROUP = (
        "GROUP_NOT_USED",
        Severity.WARNING,
        "Inclusion groups are not used: every entry of a group that is active stays so.",
    )
    PATTERN_KEYS = (
        "PATTERN_KEYS_NOT_USED",
        Severity.WARNING,
        "Keys that are regular expressions never match: add plain keys beside them.",
    )
    PATTERN_TAKEN_LITERALLY = (
        "PATTERN_TAKEN_LITERALLY",
        Severity.WARNING,
        "Keys without slashes are matched as plain text, although the entry says that they are regular expressions.",
    )
    VECTORS = (
        "VECTORS_NOT_USED",
        Severity.WARNING,
        "Search by likeness is not used: such an entry needs keys to become active.",
    )
    FILTERS = (
        "FILTERS_NOT_USED",
        Severity.WARNING,
        "Filters by character, tag and kind of generation are not used: the entry is active for all.",
    )
    DECORATORS = (
        "DECORATORS_NOT_USED",
        Severity.WARNING,
        "Lines that begin with @@ are kept in the content and not obeyed.",
    )
    RECURSION = (
        "RECURSION_NOT_USED",
        Severity.INFO,
        "Settings of recursion are not used: the content of active entries is not searched for keys.",
    )
    PLACEMENT = (
        "PLACEMENT_NOT_USED",
        Severity.INFO,
        "Position, depth and role are not used: the program that builds the prompt places the entries.",
    )
    SCANNING = (
        "SCANNING_NOT_USED",
        Severity.INFO,
        "Scan depth and what else is searched are not used: the caller chooses the text.",
    )
    BUDGET = (
        "BUDGET_NOT_USED",
        Severity.INFO,
        "Token budgets and priorities are not used: the caller counts its tokens.",
    )
    AUTOMATION = (
        "AUTOMATION_NOT_USED",
        Severity.INFO,
        "Automation ids are not used: an entry that becomes active starts nothing.",
    )
    SECONDARY_KEYS_OFF = (
        "SECONDARY_KEYS_OFF",
        Severity.INFO,
        "Secondary keys are left out, as the entry says that it is not selective.",
    )

    # How values were read.
    READ_AS_TEXT = ("READ_AS_TEXT", Severity.INFO, "A number was read as the text that it is written as.")
    READ_AS_NUMBER = ("READ_AS_NUMBER", Severity.INFO, "An order was rounded down, or read from a text.")
    READ_AS_FLAG = ("READ_AS_FLAG", Severity.INFO, "0 and 1 were read as false and true.")
    CONDITIONS_DIFFER = (
        "CONDITIONS_DIFFER",
        Severity.WARNING,
        "The condition is there twice and says two things; the one in the extensions counts, state_condition first.",
    )
    EXTENSIONS_NOT_AN_OBJECT = (
        "EXTENSIONS_NOT_AN_OBJECT",
        Severity.WARNING,
        "Extensions that are no object were not read.",
    )
    UNKNOWN_MEMBERS = ("UNKNOWN_MEMBERS_KEPT", Severity.INFO, "Members that are not known are kept for export.")

    # Cards.
    SPEC_UNKNOWN = ("SPEC_UNKNOWN", Severity.WARNING, "The card names another specification; it was read as V2 or V3.")
    NAME_MISSING = ("NAME_MISSING", Severity.WARNING, "There is no name in it; the file's name was taken.")
    CARD_TWICE = ("CARD_TWICE", Severity.WARNING, "The picture has several cards of one kind; the first was taken.")
    SCRIPTS = (
        "SCRIPTS_NOT_RUN",
        Severity.WARNING,
        "Scripts, regular expressions and prompts of extensions are not run; they are kept for export.",
    )
    LINKED_BOOK = (
        "LINKED_BOOK_MISSING",
        Severity.WARNING,
        "The card names a world book that is not in the file: import it by itself.",
    )
    ASSETS = ("ASSETS_NOT_IMPORTED", Severity.INFO, "Pictures and other assets are not imported.")

    # Chats.
    HEADER_MISSING = ("CHAT_HEADER_MISSING", Severity.WARNING, "The first line is a message and not the chat's header.")
    HIDDEN_MESSAGE = ("HIDDEN_MESSAGE", Severity.INFO, "Messages that are hidden from the model became host messages.")
    VARIANT_CHOSEN = (
        "VARIANT_CHOSEN",
        Severity.WARNING,
        "The chosen variant is not there, or has another text than the message; the message's text counts.",
    )
    VARIANTS_OF_OTHERS = (
        "VARIANTS_LEFT_OUT",
        Severity.WARNING,
        "Variants of messages that are not the assistant's are left out; the text of the message is kept.",
    )
    VARIABLES = (
        "VARIABLES_NOT_IMPORTED",
        Severity.WARNING,
        "Variables that stand in the chat are not imported: give the session its initial variables from the card.",
    )
    EXTRAS = ("EXTRAS_NOT_IMPORTED", Severity.INFO, "Reasoning, pictures, files and bookmarks are not imported.")
