"""GitLab by its REST API: its projects, and with a token the code of the one that is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, Garbled, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package
from encyclopedia_adapters.code.words import without_fillers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer, Http
    from encyclopedia_adapters.shared.refusal import Meaning

API = "https://gitlab.com/api/v4"
MAX_LIMIT = 100
_MEANINGS: Mapping[int, Meaning] = {
    401: (AuthRefused, "it wants a token that is valid: set GITLAB_TOKEN"),
    404: (Refused, "there is no such project, or none to be seen without GITLAB_TOKEN"),
}
_SHARE = 0.45


class GitLab:
    """One GitLab at ``api``; ``headers`` carry a token. Without one it tells of projects, not of what is in them."""

    def __init__(self, http: Http, api: str, headers: Mapping[str, str]) -> None:
        self._http = http
        self._api = api
        self._headers = headers

    async def search(self, request: Request) -> Reply:
        """Projects, best first; of a named one what is known of it, and with a token its code for a question about code.

        A name may be that of a repository elsewhere, so one that is not here is an empty answer.
        """
        from encyclopedia.model.outcome import Reply

        words = {"search": without_fillers(request.text)}
        if not request.repository:
            return Reply(_hits(await self._projects(request, words, request.timeout), request.limit))
        code = request.type is QueryType.CODE_CONTEXT
        if code and not self._headers:
            return Reply(note="GitLab searches code with GITLAB_TOKEN only")
        words = {"search": request.repository, "search_namespaces": "true"}
        found = await self._projects(request, words, request.timeout * (_SHARE if code else 1.0))
        named = [item for item in found if str(item.get("path_with_namespace")).lower() == request.repository.lower()]
        if code and named:
            return Reply(await self._code(request, named[0]))
        return Reply(_hits(named, request.limit))

    async def _projects(self, request: Request, words: Mapping[str, str], seconds: float) -> list[dict[str, object]]:
        from encyclopedia_adapters.shared.service import within

        params = {**words, "per_page": str(within(request.limit, MAX_LIMIT)), "order_by": "star_count"}
        return _items(await self._ask("/projects", seconds, params))

    async def _code(self, request: Request, project: Mapping[str, object]) -> tuple[Hit, ...]:
        from encyclopedia_adapters.shared.service import within

        number = project.get("id")
        if not isinstance(number, int):
            raise Garbled("gitlab answered with a project that has no id")
        params = {
            "scope": "blobs",
            "search": without_fillers(request.text),
            "per_page": str(within(request.limit, MAX_LIMIT)),
        }
        answer = await self._ask(f"/projects/{number}/search", request.timeout * _SHARE, params)
        hits = (_blob(item, project) for item in _items(answer))
        return tuple(hit for hit in hits if hit)[: request.limit]

    async def _ask(self, path: str, seconds: float, params: Mapping[str, str]) -> Answer:
        from encyclopedia_adapters.shared.http import Call

        return await self._http.get_json(
            Call("gitlab", self._api + path, seconds, params, self._headers, slots=2, meanings=_MEANINGS)
        )


def _items(answer: Answer) -> list[dict[str, object]]:
    if answer.nothing_found:
        return []
    if not isinstance(answer.data, list) or not all(isinstance(item, dict) for item in answer.data):
        raise Garbled("gitlab answered without a list of results")
    return answer.data


def _hits(items: list[dict[str, object]], limit: int) -> tuple[Hit, ...]:
    from encyclopedia_adapters.code.forge import repository_hit

    hits = (
        repository_hit(
            item,
            ("path_with_namespace", "web_url", "last_activity_at"),
            {"stars": item.get("star_count"), "topics": item.get("topics")},
        )
        for item in items
    )
    return tuple(hit for hit in hits if hit)[:limit]


def _blob(item: Mapping[str, object], project: Mapping[str, object]) -> Hit | None:
    """Lines of a file; ``ref`` is the commit or branch that was searched."""
    from urllib.parse import quote

    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_hit

    path, ref, text = (as_text(item.get(field)) for field in ("path", "ref", "data"))
    start = item.get("startline")
    first = start if isinstance(start, int) and start > 0 else 1
    lines = f"#L{first}-{first + text.rstrip().count(chr(10))}"
    web = as_text(project.get("web_url"))
    url = f"{web}/-/blob/{quote(ref, safe='/')}/{quote(path, safe='/')}{lines}" if web and path and ref else ""
    return clean_hit(Hit(f"{as_text(project.get('path_with_namespace'))} > {path}", url, text)) if path else None


def _make(context: Context) -> GitLab:
    from encyclopedia_adapters.code.forge import api_of, bearer
    from encyclopedia_adapters.shared.http import shared_http

    http = shared_http(context)
    return GitLab(http, api_of(context, http, API), bearer(context, "GITLAB_TOKEN"))


CARD = Card(
    "gitlab",
    serves={QueryType.REPOSITORY: 0.15, QueryType.CODE_CONTEXT: 0.10},
    make=_make,
    description="projects on GitLab, and with a token the code of one",
    requires=(Package("aiohttp"),),
    accepts=(Key("GITLAB_TOKEN"),),
    form=Form.RAW,
    keyless=True,
)
