"""Files as people bring them, made in code: world books, cards in three wrappings, chats."""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from typing import Any

Json = dict[str, Any]
IN_WINTER = 'state("world", "/季节") == "冬"'

TOWER: Json = {
    "uid": 0,
    "key": ["钟楼", "clock tower"],
    "keysecondary": [],
    "comment": "钟楼·冬",
    "content": "冬天的钟楼不敲钟。",
    "constant": False,
    "selective": True,
    "selectiveLogic": 0,
    "order": 100,
    "position": 4,
    "depth": 1,
    "role": 0,
    "disable": False,
    "probability": 100,
    "useProbability": True,
    "excludeRecursion": False,
    "preventRecursion": True,
    "group": "",
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "sticky": 0,
    "cooldown": 0,
    "delay": 0,
    "displayIndex": 0,
}
INN: Json = {
    "uid": 7,
    "key": "ryokan, 旅館 ,/onsen[s]?,hot spring/i,",
    "keysecondary": ["夜", "night"],
    "comment": "旅館",
    "content": "夜の旅館は静かだ。",
    "selective": True,
    "selectiveLogic": 3,
    "order": 20,
    "position": 0,
    "disable": True,
    "probability": 30,
    "useProbability": True,
    "caseSensitive": True,
    "matchWholeWords": True,
    "extensions": {"state_condition": f"  {IN_WINTER}\n", "myTool": {"颜色": "红"}},
}
CARD_ENTRY: Json = {
    "id": 3,
    "keys": ["маяк", "lighthouse"],
    "secondary_keys": ["шторм"],
    "comment": "Маяк",
    "content": "Маяк не горит.",
    "constant": False,
    "selective": True,
    "insertion_order": 50,
    "enabled": True,
    "case_sensitive": False,
    "position": 4,
    "use_regex": True,
    "extensions": {
        "position": 1,
        "depth": 4,
        "probability": 100,
        "useProbability": True,
        "selectiveLogic": 2,
        "case_sensitive": True,
        "match_whole_words": None,
        "sticky": 2,
    },
}


def world_info(*entries: Json, **more: Any) -> Json:
    return {"entries": {str(entry.get("uid", index)): entry for index, entry in enumerate(entries)}, **more}


def character_book(*entries: Json, **more: Any) -> Json:
    return {"name": "Остров", "extensions": {"theirs": [1, 2]}, "entries": list(entries), **more}


def card(spec: str = "chara_card_v2", **data: Any) -> Json:
    version = "3.0" if spec == "chara_card_v3" else "2.0"
    fields = {
        "name": "阿遥",
        "description": "钟楼里的守夜人。",
        "personality": "冷静",
        "scenario": "冬夜",
        "first_mes": "……你来了？",
        "mes_example": "<START>",
        "creator_notes": "Made with 茶.",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["下雪了, 进来吧。", "Come in."],
        "tags": ["冬", "tower"],
        "creator": "Ødegård",
        "character_version": "1.2",
        "extensions": {"talkativeness": "0.5", "fav": False},
    }
    return {"spec": spec, "spec_version": version, "data": {**fields, **data}}


def packed(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def text_chunk(keyword: str, value: Any, kind: bytes = b"tEXt") -> bytes:
    """Return a chunk with a value as base64 JSON; `iTXt` stands for the compressed one."""
    text = base64.b64encode(value if isinstance(value, bytes) else packed(value))
    data = {
        b"tEXt": lambda: text,
        b"zTXt": lambda: b"\0" + zlib.compress(text),
        b"iTXt": lambda: b"\1\0zh\0\xe5\x8d\xa1\0" + zlib.compress(text),
    }[kind]()
    return chunk(kind, keyword.encode() + b"\0" + data)


def png(*chunks: bytes) -> bytes:
    """Return a picture of one grey dot with more chunks in it."""
    header = chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
    dot = chunk(b"IDAT", zlib.compress(b"\0\x7f"))
    return b"\x89PNG\r\n\x1a\n" + header + dot + b"".join(chunks) + chunk(b"IEND", b"")


def charx(value: Any, name: str = "card.json", packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr("assets/icon/main.png", png())
        archive.writestr(name, value if isinstance(value, bytes) else packed(value))
    return file.getvalue()


def chat(*lines: Any) -> bytes:
    return b"\n".join(line if isinstance(line, bytes) else packed(line) for line in lines)


CHAT_HEADER: Json = {
    "user_name": "旅人",
    "character_name": "阿遥",
    "create_date": "2026-01-05@21h00m00s",
    "chat_metadata": {"note_prompt": "", "chat_id_hash": 12},
}


def said(text: str, **more: Any) -> Json:
    return {"name": "阿遥", "is_user": False, "is_system": False, "send_date": "January 5, 2026", "mes": text, **more}
