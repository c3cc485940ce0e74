"""SillyTavern chats: one JSON object a line, the first one the header, every other one a message.

- A message that is hidden from the model (`is_system`) becomes a hidden one of the host.
- `mes` is the text that was shown; where it is not the chosen one of `swipes`, it counts.
- Blank lines are passed over. Every bad line is named, and then nothing is imported.

Source: SillyTavern's chat files; users of rp.state, "The files people bring".
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fabric_app.mesh.canonical import dumps
from fabric_app.mesh.strict_json import pointer
from sessions_app.importers.errors import ImportTooLarge, JSONUnreadable, NotAChat
from sessions_app.importers.json_text import check_size, read_json
from sessions_app.importers.limits import DEFAULT_IMPORT_LIMITS, ImportLimits
from sessions_app.importers.notice_kinds import NoticeCode
from sessions_app.importers.reading import TOO_MANY, WRONG_TYPE, Json, Reading
from sessions_app.importers.report import Report
from sessions_app.protocol.events import Role

HEADER = ("user_name", "character_name", "chat_metadata")
MESSAGE = "mes"

_EXTRAS = ("reasoning", "image", "image_swipes", "file", "files", "media", "bookmark_link")


@dataclass(frozen=True)
class ImportedMessage:
    """One message; `variants[selected]` is its text, `sent_at` the time as the file has it, "" for none."""

    role: Role
    name: str
    text: str
    variants: tuple[str, ...]
    selected: int
    sent_at: str
    is_hidden: bool = False


@dataclass(frozen=True)
class ImportedChat:
    """A chat; `metadata` is the header's `chat_metadata` as it came."""

    user_name: str
    character_name: str
    created_at: str
    metadata: Json
    messages: tuple[ImportedMessage, ...]


def read_chat(content: bytes, limits: ImportLimits = DEFAULT_IMPORT_LIMITS) -> tuple[ImportedChat, Report]:
    """Return the chat of a file, and what there is to tell. Raises NotAChat with every bad line, ImportTooLarge."""
    check_size(content, limits)
    reading = Reading(limits)
    lines = _lines(content, reading)
    first = next(lines, None)
    if first is None:
        reading.raise_if_any(NotAChat)
        raise NotAChat.at("", "The file is empty.")
    header, messages = _header(first, reading), []
    if header is None:
        reading.tell(NoticeCode.HEADER_MISSING, first[0])
        messages.append(_message(first[1], first[0], reading))
    messages.extend(_message(value, path, reading) for path, value in lines)
    chat = _chat(header or {}, first[0], [each for each in messages if each is not None], reading)
    reading.raise_if_any(NotAChat)
    return chat, reading.telling.report()


def is_chat_line(value: Any) -> bool:
    """Tell whether a JSON value has the form of a chat's header, or of a message."""
    return isinstance(value, dict) and (MESSAGE in value or any(name in value for name in HEADER))


def _lines(content: bytes, reading: Reading) -> Iterator[tuple[str, Any]]:
    """Yield the place of each line, and its value; lines that are no JSON objects become problems."""
    count = 0
    for number, line in enumerate(io.BytesIO(content.removeprefix(codecs.BOM_UTF8)), start=1):
        path = f"/lines/{number}"
        count += bool(line.strip())
        if count > reading.limits.messages + 1 or number > reading.limits.lines:
            raise ImportTooLarge.at(path, f"At most {reading.limits.messages} messages are read.")
        if not line.strip():
            continue
        try:
            value = read_json(line, reading.limits)
        except JSONUnreadable as refused:
            for problem in refused.problems:
                detail = problem.detail.replace(" at line 1, column ", " at column ")
                reading.refuse(path + problem.path, problem.code, f"Line {number}: {detail}")
            continue
        if isinstance(value, dict):
            yield path, value
        else:
            reading.refuse(path, WRONG_TYPE, f"Line {number}: expected an object.")


def _header(first: tuple[str, Json], reading: Reading) -> Json | None:
    """Return the header, None where the first line is a message."""
    path, value = first
    if MESSAGE in value:
        return None
    if not is_chat_line(value):
        reading.refuse(path, "no_header", f"Expected a chat's header with {' or '.join(HEADER)}.")
    return value


def _chat(header: Json, path: str, messages: list[ImportedMessage], reading: Reading) -> ImportedChat:
    user_name, character_name, created_at = (
        reading.text(header.get(name), pointer(path, name), reading.limits.key_chars)
        for name in ("user_name", "character_name", "create_date")
    )
    metadata = header.get("chat_metadata")
    if not isinstance(metadata, dict | None):
        reading.refuse(pointer(path, "chat_metadata"), WRONG_TYPE, "Expected an object, or null.")
    metadata = metadata if isinstance(metadata, dict) else {}
    if metadata.get("variables"):
        reading.tell(NoticeCode.VARIABLES, pointer(path, "chat_metadata"))
    return ImportedChat(user_name, character_name, created_at, metadata, tuple(messages))


def _message(value: Json, path: str, reading: Reading) -> ImportedMessage | None:
    if MESSAGE not in value:
        reading.refuse(path, "no_message", "Expected a message with its text in mes.")
        return None
    most = reading.limits.message_chars
    text = reading.text(value[MESSAGE], pointer(path, MESSAGE), most)
    is_user = reading.flag(value.get("is_user"), pointer(path, "is_user"), default=False)
    is_hidden = reading.flag(value.get("is_system"), pointer(path, "is_system"), default=False)
    role = Role.HOST if is_hidden else Role.USER if is_user else Role.ASSISTANT
    variants, selected = _variants(value, text, path, reading)
    if role is not Role.ASSISTANT and len(variants) > 1:
        reading.tell(NoticeCode.VARIANTS_OF_OTHERS, path)
        variants, selected = (text,), 0
    _tell_what_is_not_used(value, path, is_hidden, reading)
    return ImportedMessage(
        role=role,
        name=reading.text(value.get("name"), pointer(path, "name"), reading.limits.key_chars),
        text=text,
        variants=variants,
        selected=selected,
        sent_at=_sent_at(value.get("send_date"), pointer(path, "send_date"), reading),
        is_hidden=is_hidden,
    )


def _variants(value: Json, text: str, path: str, reading: Reading) -> tuple[tuple[str, ...], int]:
    """Return the variants of a message and the index of the one that was shown, which has `text`."""
    variants = _swipes(value.get("swipes"), pointer(path, "swipes"), reading)
    if not variants:
        return (text,), 0
    place = pointer(path, "swipe_id")
    chosen = reading.whole(value.get("swipe_id"), place, default=0)
    if 0 <= chosen < len(variants) and variants[chosen] == text:
        return variants, chosen
    reading.tell(NoticeCode.VARIANT_CHOSEN, place)
    if 0 <= chosen < len(variants):
        return (*variants[:chosen], text, *variants[chosen + 1 :]), chosen
    return (variants, variants.index(text)) if text in variants else ((*variants, text), len(variants))


def _swipes(raw: Any, path: str, reading: Reading) -> tuple[str, ...]:
    """Return the texts of the variants; a null among them is an empty text, so that their numbers stay."""
    most = reading.limits
    if raw is None:
        return ()
    if not isinstance(raw, list):
        reading.refuse(path, WRONG_TYPE, "Expected a list of texts, or null.")
        return ()
    if len(raw) > most.variants:
        reading.refuse(path, TOO_MANY, f"There are {len(raw)} variants; at most {most.variants} are read.")
        return ()
    return tuple(reading.text(each, pointer(path, index), most.message_chars) for index, each in enumerate(raw))


def _sent_at(raw: Any, path: str, reading: Reading) -> str:
    """Return the time as it stands in the file; old chats have milliseconds."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return dumps(raw)
    return reading.text(raw, path, reading.limits.key_chars)


def _tell_what_is_not_used(value: Json, path: str, is_hidden: bool, reading: Reading) -> None:
    if is_hidden:
        reading.tell(NoticeCode.HIDDEN_MESSAGE, path)
    if value.get("variables"):
        reading.tell(NoticeCode.VARIABLES, path)
    extra = value.get("extra")
    if isinstance(extra, dict) and any(extra.get(name) for name in _EXTRAS):
        reading.tell(NoticeCode.EXTRAS, path)
