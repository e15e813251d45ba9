"""Kagi, web search without advertisements, with a key; off unless it is switched on; with ``fastgpt`` its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, Refused, Unavailable
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context, Source
    from encyclopedia_adapters.shared.http import Answer
    from encyclopedia_adapters.shared.refusal import Meaning
    from encyclopedia_adapters.shared.service import Service

BASE = "https://kagi.com/api/v1"
FIRST = "/v0"  # the end of the address of the first API, which keys of its time need: base_url = "https://kagi.com/api/v0"
MAX_LIMIT = 100
_BUDGET = (0.5, 4.0)  # seconds that Kagi may be told to take
_SHARE = 0.8  # of our own time: the rest is for the way
_LISTS = ("search", "code", "interesting_finds")
CODES: Mapping[str, Meaning] = {
    "0": (Unavailable, "it has a fault of its own"),
    "1": (Refused, "the request is malformed"),
    "2": (AuthRefused, "the key is not accepted"),
    "100": (QuotaSpent, "the account has no billing"),
    "101": (QuotaSpent, "the credit is used up"),
}
_OPTIONS = ("lens_id",)


class Kagi:
    """Asks ``/search`` of the present API, by POST, or of the first one, by GET."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(self, request: Request) -> Reply:
        """At most 100 hits: the web's, then what Kagi shows beside them of code and small sites."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.http import Call
        from encyclopedia_adapters.shared.service import hits, within, worded

        http, base, headers, options = self._service
        text, limit = worded(request)[0], within(request.limit, MAX_LIMIT)
        first = base.endswith(FIRST)
        call = Call(
            "kagi", f"{base}/search", request.timeout, {"q": text, "limit": str(limit)} if first else {}, headers, codes=CODES
        )
        budget = min(max(request.timeout * _SHARE, _BUDGET[0]), _BUDGET[1])
        body = {"query": text, "limit": limit, "timeout": budget, **options}
        answer = await (http.get_json(call) if first else http.post_json(call, body))
        return Reply(hits(_found(answer), request.limit, hit_of, markup="html"))


def _found(answer: Answer) -> list[object]:
    """All results; a list without any is left out of the answer."""
    if answer.nothing_found:
        return []
    held = envelope(answer.data).get("data")
    found: list[object] = []
    for part in [held[name] for name in _LISTS if name in held] if isinstance(held, dict) else [held]:
        if not isinstance(part, list):
            raise Garbled("kagi answered without a list of results")
        found.extend(part)
    return found


def envelope(data: object) -> dict[str, object]:
    """The object that an answer is; the first API tells its troubles in it, with status 200, and they are raised."""
    from encyclopedia_adapters.shared.status import error_codes

    told = data if isinstance(data, dict) else {}
    if not told.get("error"):
        return told
    known = [CODES[code] for code in error_codes(told) if code in CODES]
    kind, sentence = known[0] if known else (Refused, "it names no reason that we know")
    raise kind(f"kagi answered with an error: {sentence}")


def hit_of(element: dict[str, object]) -> Hit:
    """A result or a reference of Kagi's, not yet clean."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date

    return Hit(
        title=as_text(element.get("title")),
        url=as_text(element.get("url")),
        content=as_text(element.get("snippet")),
        published=clean_date(element.get("time")) or clean_date(element.get("published")),
    )


def _make(context: Context) -> Source:
    from encyclopedia_adapters.shared.generated import wants_answer
    from encyclopedia_adapters.shared.service import service

    key = context.secret("KAGI_API_KEY")
    if wants_answer(context, "fastgpt"):
        from encyclopedia_adapters.web import kagi_fastgpt

        return kagi_fastgpt.KagiFastGpt(service(context, kagi_fastgpt.BASE, {"Authorization": f"Bot {key}"}))
    made = service(context, BASE, {}, _OPTIONS)
    scheme = "Bot" if made.base.endswith(FIRST) else "Bearer"
    return Kagi(made._replace(headers={"Authorization": f"{scheme} {key}"}))


CARD = Card(
    "kagi",
    serves={QueryType.GENERAL_SEARCH: 0.20, QueryType.LIBRARY_DOCS: 0.10},
    make=_make,
    description="web search without advertisements",
    requires=(Package("aiohttp"), Key("KAGI_API_KEY")),
    form=Form.KEYWORD,
    default=False,
    options=("fastgpt", *_OPTIONS),
)
