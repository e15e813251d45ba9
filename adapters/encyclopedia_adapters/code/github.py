"""GitHub by its REST API: its repositories, and with a token the code in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled, Refused, SourceTrouble
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package
from encyclopedia_adapters.code.words import without_fillers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer, Http

API = "https://api.github.com"
MAX_LIMIT = 100
MAX_QUERY = 256
READ = 3
"""Files that are read to tell the lines of what was found in them; each costs a call."""
_SHARE = 0.85
_MATCHES = "application/vnd.github.text-match+json"
_MEANINGS = {
    301: (Refused, "the repository has moved, and redirects are not followed"),
    404: (Refused, "there is no such repository, or none to be seen without GITHUB_TOKEN"),
    409: (Refused, "the repository is empty"),
    422: (Refused, "it does not take this query, or cannot see the repository in it"),
}
_NO_CODE = "GitHub searches code with GITHUB_TOKEN only"


class GitHub:
    """One GitHub at ``api``; ``headers`` carry a token: without it 60 calls an hour, 10 searches a minute and no code."""

    def __init__(self, http: Http, api: str, headers: Mapping[str, str]) -> None:
        self._http = http
        self._api = api
        self._headers = {"X-GitHub-Api-Version": "2022-11-28", **headers}
        self._token = bool(headers)

    async def search(self, request: Request) -> Reply:
        """Code for a question about code, if there is a token; the repository that is named, with its README; repositories."""
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.code.forge import one_repository

        name = one_repository(request.repository)
        if request.type is QueryType.CODE_CONTEXT and (self._token or request.repository):
            return await self._code(request, name) if self._token else Reply(note=_NO_CODE)
        return await (self._named(request, name) if name else self._repositories(request))

    async def _repositories(self, request: Request) -> Reply:
        words = without_fillers(request.text)[:MAX_QUERY]
        answer = await self._ask("/search/repositories", request.timeout, _params(request, words))
        return _reply(answer, request, [_repository(item) for item in _items(answer)])

    async def _named(self, request: Request, name: str) -> Reply:
        import asyncio

        from encyclopedia.model.outcome import Reply

        about, readme = await asyncio.gather(
            self._ask(f"/repos/{name}", request.timeout), self._read(f"/repos/{name}/readme", request.timeout)
        )
        if not isinstance(about.data, dict) or not (hit := _repository(about.data)):
            raise Garbled("github answered without the repository")
        return Reply(tuple(hit for hit in (hit, _readme(hit, readme)) if hit)[: request.limit])

    async def _code(self, request: Request, name: str) -> Reply:
        import asyncio

        from encyclopedia_adapters.code.forge import base64_text
        from encyclopedia_adapters.code.github_file import file_hit, file_place

        clock = asyncio.get_running_loop().time
        until = clock() + _SHARE * request.timeout
        words = without_fillers(request.text)[:MAX_QUERY] + (f" repo:{name}" if name else "")
        answer = await self._ask("/search/code", request.timeout, _params(request, words), _MATCHES)
        items = [item for item in _items(answer) if file_place(item)][: request.limit]
        reads = (self._read(file_place(item), until - clock()) for item in items[:READ])
        texts = [base64_text(data) for data in await asyncio.gather(*reads)]
        texts += [""] * (len(items) - len(texts))
        return _reply(answer, request, [file_hit(item, text) for item, text in zip(items, texts, strict=True)])

    async def _ask(self, path: str, seconds: float, params: Mapping[str, str] | None = None, accept: str = "") -> Answer:
        from encyclopedia_adapters.shared.http import Call

        headers = {**self._headers, "Accept": accept} if accept else self._headers
        # GitHub's advice against its secondary limits: few requests at a time.
        call = Call("github", self._api + path, seconds, params or {}, headers, slots=READ, meanings=_MEANINGS)
        return await self._http.get_json(call)

    async def _read(self, path: str, seconds: float) -> object:
        """What more there is to a hit; that it cannot be had costs nothing else."""
        try:
            return (await self._ask(path, max(seconds, 0.05))).data
        except (SourceTrouble, TimeoutError):
            return None


def _params(request: Request, words: str) -> dict[str, str]:
    from encyclopedia_adapters.shared.service import within

    return {"q": words, "per_page": str(within(request.limit, MAX_LIMIT))}


def _items(answer: Answer) -> list[dict[str, object]]:
    from encyclopedia_adapters.shared.service import results

    return [item for item in results("github", answer, "items") if isinstance(item, dict)]


def _reply(answer: Answer, request: Request, hits: list[Hit | None]) -> Reply:
    from encyclopedia.model.outcome import Reply

    part = isinstance(answer.data, dict) and answer.data.get("incomplete_results") is True
    cut = len(without_fillers(request.text)) > MAX_QUERY
    return Reply(
        tuple(hit for hit in hits if hit)[: request.limit],
        reduced="github searched in its own time limit only, not through everything" if part else "",
        note=f"asked with the first {MAX_QUERY} characters" if cut else "",
    )


def _repository(item: Mapping[str, object]) -> Hit | None:
    from encyclopedia_adapters.code.forge import repository_hit

    facts = {
        "language": item.get("language"),
        "stars": item.get("stargazers_count"),
        "topics": item.get("topics"),
        "archived": item.get("archived") or "",
    }
    return repository_hit(item, ("full_name", "html_url", "pushed_at"), facts)


def _readme(about: Hit, data: object) -> Hit | None:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.code.forge import base64_text
    from encyclopedia_adapters.shared.hits import as_text, clean_hit

    if not isinstance(data, dict) or not (text := base64_text(data)):
        return None
    name = as_text(data.get("name")) or "README"
    return clean_hit(Hit(f"{about.title} > {name}", as_text(data.get("html_url")), text), markup="guess")


def _make(context: Context) -> GitHub:
    from encyclopedia_adapters.code.forge import api_of, bearer
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    return GitHub(http, api_of(context, http, API), bearer(context, "GITHUB_TOKEN"))


CARD = Card(
    "github",
    serves={QueryType.REPOSITORY: 0.20, QueryType.CODE_CONTEXT: 0.10},
    make=_make,
    description="repositories on GitHub, and with a token their code",
    requires=(Package("aiohttp"),),
    accepts=(Key("GITHUB_TOKEN"),),
    form=Form.RAW,
    keyless=True,
)
