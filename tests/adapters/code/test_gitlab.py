"""GitLab: projects for all, the code of a named one with a token."""

import pytest

from encyclopedia.model.errors import AuthRefused, Garbled, RateLimited, Refused
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.code.gitlab import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.upstream import Act, Upstream

TOKEN = {"GITLAB_TOKEN": "s3cr3t-t0ken"}
CODE = {"type": QueryType.CODE_CONTEXT}
PROJECT = {
    "id": 7, "path_with_namespace": "acme/webkit", "web_url": "https://gitlab.com/acme/webkit", "description": "A small router",
    "star_count": 3, "topics": ["web"], "last_activity_at": "2026-02-03T04:05:06.000Z",
}  # fmt: skip
OTHER = PROJECT | {"id": 8, "path_with_namespace": "acme/webkit-extra"}
BLOB = {
    "basename": "a",
    "data": "def route(path):\n    return path\n",
    "path": "src/a b.py",
    "ref": "main",
    "startline": 21,
    "project_id": 7,
}


async def ask(up, text="small router", secrets=None, **more):
    async with built(CARD, {"base_url": f"{up.url}/api/v4"}, secrets or {}) as source:
        return await source.search(request(text, **more))


@pytest.mark.spec("ENC-GITLAB-1")
async def test_projects_are_found_without_a_key():
    async with Upstream() as up:
        up.on("/api/v4/projects", Act(json=[PROJECT]))
        (hit,) = (await ask(up, "which small router is there", limit=7)).hits
        assert (hit.title, hit.url) == ("acme/webkit", "https://gitlab.com/acme/webkit")
        assert hit.content == "A small router\nstars: 3, topics: web"
        assert hit.published.startswith("2026-02-03T04:05:06")
        assert up.seen[0].query == {"search": "small router", "per_page": "7", "order_by": "star_count"}
        assert "authorization" not in up.seen[0].headers


@pytest.mark.spec("ENC-GITLAB-2")
async def test_a_name_finds_exactly_its_project_and_may_be_elsewhere():
    named = {"repository": "Acme/Webkit", "type": QueryType.REPOSITORY}
    async with Upstream() as up:
        up.on("/api/v4/projects", Act(json=[OTHER, PROJECT]), Act(json=[OTHER]), Act(json=[]))
        assert [hit.title for hit in (await ask(up, **named)).hits] == ["acme/webkit"]
        assert up.seen[0].query["search"] == "Acme/Webkit"
        assert up.seen[0].query["search_namespaces"] == "true"
        for _ in range(2):
            reply = await ask(up, **named)
            assert (reply.hits, reply.reduced) == ((), "")


@pytest.mark.spec("ENC-GITLAB-3")
async def test_code_of_a_project_is_found_with_a_token():
    async with Upstream() as up:
        up.on("/api/v4/projects", Act(json=[PROJECT]))
        up.on("/api/v4/projects/7/search", Act(json=[BLOB, BLOB | {"path": ""}, BLOB | {"startline": None, "ref": ""}]))
        first, second = (await ask(up, "how to route path", TOKEN, repository="acme/webkit", **CODE)).hits
        assert first.title == "acme/webkit > src/a b.py"
        assert first.url == "https://gitlab.com/acme/webkit/-/blob/main/src/a%20b.py#L21-22"
        assert first.content == "def route(path):\n    return path"
        assert second.url == ""
        assert up.seen[1].query == {"scope": "blobs", "search": "route path", "per_page": "5"}
        assert up.seen[1].headers["authorization"] == "Bearer s3cr3t-t0ken"


@pytest.mark.spec("ENC-GITLAB-3")
async def test_without_a_token_code_is_not_asked_for():
    async with Upstream() as up:
        reply = await ask(up, repository="acme/webkit", **CODE)
        assert (reply.hits, reply.note) == ((), "GitLab searches code with GITLAB_TOKEN only")
        assert up.seen == []


@pytest.mark.spec("ENC-GITLAB-3")
@pytest.mark.parametrize("project", [PROJECT | {"id": None}, PROJECT | {"id": "7/../8"}])
async def test_a_project_without_a_number_is_garbled(project):
    async with Upstream() as up:
        up.on("/api/v4/projects", Act(json=[project]))
        with pytest.raises(Garbled):
            await ask(up, secrets=TOKEN, repository="acme/webkit", **CODE)
        assert len(up.seen) == 1


@pytest.mark.spec("ENC-GITLAB-3")
@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (Act(401, json={"message": "401 Unauthorized"}), AuthRefused),
        (Act(404, json={"message": "404 Project Not Found"}), Refused),
        (Act(429, body="Retry later\n", content_type="text/plain", headers={"Retry-After": "9"}), RateLimited),
        (Act(json={"message": "x"}), Garbled),
    ],
)
async def test_each_failure_has_its_trouble(act, kind):
    async with Upstream() as up:
        up.on("/api/v4/projects", Act(json=[PROJECT]))
        up.on("/api/v4/projects/7/search", act)
        with pytest.raises(kind):
            await ask(up, secrets=TOKEN, repository="acme/webkit", **CODE)
