"""Perplexity's Agent API: an answer in words, with the pages that it was written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled, Unavailable
from encyclopedia_adapters.web.perplexity import CODES, MAX_TOKENS, hit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.errors import SourceTrouble
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.shared.service import Service

MAX_OUTPUT = 512
"""Tokens that an answer may have."""
PRESET = "fast"
_FAILED = ("failed", "cancelled")
_STATUS_DIGITS = 3


class PerplexityAgent:
    """Asks ``POST /v1/responses``: ``model`` in the form provider/name, else the service's preset for quick answers."""

    def __init__(self, service: Service, model: str) -> None:
        self._service = service
        self._engine = {"model": model} if model else {"preset": PRESET}

    async def search(self, request: Request) -> Reply:
        """The pages that the service found, with at most 512 tokens of each, then its answer as a hit of its own."""
        from encyclopedia_adapters.shared.generated import generated
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, worded

        http, base, headers, options = self._service
        location = {"user_location": {"country": options["country"]}} if "country" in options else {}
        body = {
            "input": worded(request)[0],
            "max_output_tokens": MAX_OUTPUT,
            "tools": [{"type": "web_search", "max_tokens_per_page": MAX_TOKENS, **location}],
            **self._engine,
        }
        call = Call("perplexity", f"{base}/v1/responses", request.timeout, headers=headers, codes=CODES)
        answer = await http.post_json(call, body)
        items = [] if answer.nothing_found else _items(answer.data)
        pages = hits(_pages(items), request.limit, hit_of)
        return generated("Perplexity", _text(items), pages, request.limit)


def _items(data: object) -> list[dict[str, object]]:
    """What the service put out; that it could not is told with status 200."""
    told = data if isinstance(data, dict) else {}
    if told.get("status") in _FAILED:
        raise _failure(told)
    output = told.get("output")
    if told.get("status") != "completed" or not isinstance(output, list):
        raise Garbled("perplexity answered without a completed answer")
    return [item for item in output if isinstance(item, dict)]


def _failure(data: dict[str, object]) -> SourceTrouble:
    """What a failed answer means, by the code of its error, which may be a status."""
    from encyclopedia_adapters.shared.status import error_codes, trouble

    codes = error_codes(data.get("error"))
    for code in codes:
        if code in CODES:
            kind, sentence = CODES[code]
            return kind(f"perplexity could not answer: {sentence}")
    status = next((int(code) for code in codes if code.isascii() and code.isdigit() and len(code) == _STATUS_DIGITS), 0)
    return trouble("perplexity", status, {}, ("", data)) if status else Unavailable("perplexity could not finish its answer")


def _pages(items: list[dict[str, object]]) -> list[object]:
    """The results of all its searches, each address once, then what only a citation names."""
    from encyclopedia_adapters.shared.hits import as_text

    found: dict[str, object] = {}
    for page in (*_members(items, "search_results", "results"), *_citations(items)):
        found.setdefault(as_text(page.get("url")) or f"{len(found)}", page)
    return list(found.values())


def _text(items: list[dict[str, object]]) -> str:
    return "".join(text for part in _parts(items) if isinstance(text := part.get("text"), str))


def _citations(items: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for part in _parts(items):
        yield from _members([part], "output_text", "annotations")


def _parts(items: list[dict[str, object]]) -> list[dict[str, object]]:
    return [part for part in _members(items, "message", "content") if part.get("type") == "output_text"]


def _members(items: list[dict[str, object]], kind: str, name: str) -> Iterator[dict[str, object]]:
    """The objects in the list ``name`` of each item of that kind."""
    for item in items:
        held = item.get(name) if item.get("type") == kind else None
        yield from (member for member in held if isinstance(member, dict)) if isinstance(held, list) else ()
