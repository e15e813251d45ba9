"""Kagi's FastGPT: an answer in words, with the pages that it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.web.kagi import CODES, envelope, hit_of

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.shared.service import Service

BASE = "https://kagi.com/api/v0"


class KagiFastGpt:
    """Asks ``POST /fastgpt`` of the first API, the only one that has it."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """The pages that the answer refers to, then the answer as a hit of its own."""
        from encyclopedia_adapters.shared.generated import generated
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, worded

        http, base, headers, _ = self._service
        call = Call("kagi", f"{base}/fastgpt", request.timeout, headers=headers, codes=CODES)
        answer = await http.post_json(call, {"query": worded(request)[0], "cache": True})
        text, pages = ("", []) if answer.nothing_found else _read(answer.data)
        return generated("Kagi FastGPT", text, hits(pages, request.limit, hit_of, markup="html"), request.limit)


def _read(answered: object) -> tuple[str, list[object]]:
    """The text and its references, of which there may be none."""
    data = envelope(answered).get("data")
    text, pages = (data.get("output"), data.get("references") or []) if isinstance(data, dict) else (None, None)
    if not isinstance(text, str) or not isinstance(pages, list):
        raise Garbled("kagi answered without an answer and its references")
    return text, pages
