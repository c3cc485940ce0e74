"""A stream ends for a reader who may not read any more."""

from __future__ import annotations

import asyncio

import pytest
from django.test import AsyncRequestFactory

from fabric_app.mesh import tails
from fabric_app.mesh.tails import sse_response
from tests.live.test_hub import ListedStream


class TestAReaderWhoMayNotReadAnyMore:
    def test_gets_nothing_newer_and_no_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tails, "ASK_SECONDS", 0.0)
        stream, answers = ListedStream(), [True, False]
        stream.grow(1)

        async def scenario() -> list[bytes]:
            response = sse_response(AsyncRequestFactory().get("/"), stream, still_allowed=lambda: answers.pop(0))
            heard = []
            async for part in response:
                heard.append(part)
                stream.grow(1)
            return heard

        heard = asyncio.run(asyncio.wait_for(scenario(), timeout=20))

        assert answers == []
        assert len(heard) == 2
        assert tails.END not in heard
