"""Calls to Context7 within the time of one question, with its way of saying that a library is being prepared."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia_adapters.shared.http import Answer, Http

MAX_QUERY = 500
MOVED, NO_TAG, PREPARING = "redirectUrl", "tag_not_found", 202


class Api:
    """The service at ``base``; ``key`` may be empty."""

    def __init__(self, http: Http, base: str, key: str) -> None:
        self._http = http
        self._base = base
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def within(self, timeout: float) -> Calls:
        """Calls that together take at most ``timeout`` seconds."""
        return Calls(self._http, self._base, self._headers, monotonic() + timeout)


class Calls:
    """The calls for one question; ``end`` is the moment by which they must be done."""

    def __init__(self, http: Http, base: str, headers: Mapping[str, str], end: float) -> None:
        self._http = http
        self._base = base
        self._headers = headers
        self._end = end

    async def get(self, path: str, params: Mapping[str, str]) -> Answer:
        """The answer; if it is that the library is being prepared, asked once more where time is left."""
        import asyncio

        from encyclopedia_adapters.shared.status import wait

        answer = await self._once(path, params)
        if answer.status == PREPARING:
            pause = wait(answer.headers) if "retry-after" in answer.headers else min(1.0, self._left() / 3)
            if pause < self._left():
                await asyncio.sleep(pause)
                answer = await self._once(path, params)
        return answer

    async def _once(self, path: str, params: Mapping[str, str]) -> Answer:
        from encyclopedia_adapters.shared.http import Call

        return await self._http.get_json(
            Call("context7", self._base + path, self._left(), params, self._headers, told=(MOVED, NO_TAG))
        )

    def _left(self) -> float:
        """Seconds, in hundredths, and never none: a call without any time would be no time-out of the service's."""
        return max(round(self._end - monotonic(), 2), 0.01)
