"""GitHub: repositories for all, code with a token, and a named repository with its README."""

import base64

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, RateLimited, Refused
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.code.github import CARD
from tests.adapters.contract.stand_ins import built, request
from tests.forge_bodies import github_body
from tests.upstream import Act, Upstream

TOKEN = {"GITHUB_TOKEN": "s3cr3t-t0ken"}
CODE = {"type": QueryType.CODE_CONTEXT}
SHA = "ab" * 20
FILE = "import re\n\n\n# one\n# two\n# three\n# four\n# five\ndef route(path):\n    return path\n# six\n# seven\n# eight\n# nine\n# ten\n# eleven\n"
ABOUT = {
    "full_name": "acme/webkit", "html_url": "https://github.com/acme/webkit", "description": "A small router", "language": "Python",
    "stargazers_count": 12, "topics": ["web", "router"], "archived": False, "pushed_at": "2026-02-03T04:05:06Z", "license": None,
}  # fmt: skip


def code_body(*fragments, path="webkit/routing.py", name="acme/webkit"):
    matches = [{"object_type": "FileContent", "property": "content", "fragment": text, "matches": []} for text in fragments]
    item = {
        "name": path.rpartition("/")[2], "path": path, "sha": "cd" * 20, "html_url": f"https://github.com/{name}/blob/{SHA}/{path}",
        "repository": {"full_name": name}, "score": 1.0, "text_matches": matches,
    }  # fmt: skip
    return {"total_count": 1, "incomplete_results": False, "items": [item]}


def file_body(text=FILE):
    return {
        "name": "x",
        "encoding": "base64",
        "content": base64.encodebytes(text.encode()).decode(),
        "html_url": "https://github.com/x",
    }


async def ask(up, text="route path", secrets=None, **more):
    async with built(CARD, {"base_url": up.url}, secrets or {}) as source:
        return await source.search(request(text, **more))


@pytest.mark.spec("ENC-GITHUB-1")
async def test_repositories_are_found_without_a_key():
    async with Upstream() as up:
        up.on("/search/repositories", Act(json={"total_count": 1, "incomplete_results": False, "items": [ABOUT]}))
        (hit,) = (await ask(up, "what is a small router for the web", limit=7)).hits
        assert (hit.title, hit.url) == ("acme/webkit", "https://github.com/acme/webkit")
        assert hit.content == "A small router\nlanguage: Python, stars: 12, topics: web, router"
        assert hit.published == "2026-02-03T04:05:06Z"
        (seen,) = up.seen
        assert seen.query == {"q": "small router web", "per_page": "7"}
        assert seen.headers["x-github-api-version"] == "2022-11-28"
        assert "authorization" not in seen.headers


@pytest.mark.spec("ENC-GITHUB-1")
async def test_a_long_question_is_cut_and_a_part_of_an_answer_told():
    async with Upstream() as up:
        up.on("/search/repositories", Act(json=github_body() | {"incomplete_results": True}))
        reply = await ask(up, "router " * 100, limit=1000)
        assert len(up.seen[0].query["q"]) == 256
        assert up.seen[0].query["per_page"] == "100"
        assert "256" in reply.note
        assert "own time limit" in reply.reduced


@pytest.mark.spec("ENC-GITHUB-2")
async def test_code_is_found_with_a_token_and_shown_with_its_lines():
    async with Upstream() as up:
        up.on("/search/code", Act(json=code_body("def route(path):\n    return path")))
        up.on("/repos/acme/webkit/contents/webkit/routing.py", Act(json=file_body()))
        (hit,) = (await ask(up, "how to route path", TOKEN, **CODE)).hits
        assert hit.title == "acme/webkit > webkit/routing.py"
        assert hit.url == f"https://github.com/acme/webkit/blob/{SHA}/webkit/routing.py#L5-L14"
        assert hit.content == "\n".join(FILE.split("\n")[4:14])
        search, contents = up.seen
        assert search.query == {"q": "route path", "per_page": "5"}
        assert search.headers["accept"] == "application/vnd.github.text-match+json"
        assert search.headers["authorization"] == "Bearer s3cr3t-t0ken"
        assert contents.query == {"ref": SHA}


@pytest.mark.spec("ENC-GITHUB-2")
@pytest.mark.parametrize(
    "act",
    [
        Act(404, json={"message": "Not Found"}),
        Act(500),
        Act(403, headers={"x-ratelimit-remaining": "0"}, json={}),
        Act(hang=True),
        Act(json=[1]),
        Act(json={"encoding": "none", "content": ""}),
        Act(json={"encoding": "base64", "content": "?" * 9}),
        Act(json=file_body("another file")),
        Act(json=file_body("binary\x00")),
    ],
)
async def test_a_file_that_cannot_be_read_shows_its_fragments(act):
    async with Upstream() as up:
        up.on("/search/code", Act(json=code_body("def route(path):", "route('/a')")))
        up.on("/repos/acme/webkit/contents/webkit/routing.py", act)
        (hit,) = (await ask(up, secrets=TOKEN, timeout=1.0, **CODE)).hits
        assert hit.content == "def route(path):\n…\nroute('/a')"
        assert hit.url == f"https://github.com/acme/webkit/blob/{SHA}/webkit/routing.py"


@pytest.mark.spec("ENC-GITHUB-2")
async def test_only_the_first_files_are_read():
    items = [code_body("def route", path=f"f{at}.py")["items"][0] for at in range(9)]
    async with Upstream() as up:
        up.on("/search/code", Act(json={"total_count": 9, "items": items}))
        up.on("*", Act(json=file_body()))
        assert len((await ask(up, secrets=TOKEN, limit=8, **CODE)).hits) == 8
        assert len(up.seen) == 4


@pytest.mark.spec("ENC-GITHUB-2")
@pytest.mark.parametrize(
    ("name", "path"),
    [("acme/../x", "a.py"), ("../..", "a.py"), ("acme/webkit", "../../user"), ("acme", "a.py"), ("acme/webkit", "")],
)
async def test_a_place_that_is_none_is_not_asked_for(name, path):
    async with Upstream() as up:
        up.on("/search/code", Act(json=code_body("x", path=path, name=name)))
        assert (await ask(up, secrets=TOKEN, **CODE)).hits == ()
        assert len(up.seen) == 1


@pytest.mark.spec("ENC-GITHUB-2")
async def test_code_of_a_named_repository_is_searched_in_it_alone():
    async with Upstream() as up:
        up.on("/search/code", Act(json=code_body()))
        up.on("*", Act(404))
        await ask(up, secrets=TOKEN, repository="acme/webkit", **CODE)
        assert up.seen[0].query["q"] == "route path repo:acme/webkit"


@pytest.mark.spec("ENC-GITHUB-2")
async def test_without_a_token_code_of_a_repository_is_not_asked_for():
    async with Upstream() as up:
        reply = await ask(up, repository="acme/webkit", **CODE)
        assert (reply.hits, reply.note) == ((), "GitHub searches code with GITHUB_TOKEN only")
        assert up.seen == []


@pytest.mark.spec("ENC-GITHUB-3")
async def test_a_named_repository_is_itself_and_its_readme():
    async with Upstream() as up:
        up.on("/repos/acme/webkit", Act(json=ABOUT))
        up.on(
            "/repos/acme/webkit/readme", Act(json=file_body("# Webkit\n\n<script>x</script>Routes.\n") | {"name": "README.md"})
        )
        about, readme = (await ask(up, "acme/webkit", repository="acme/webkit", type=QueryType.REPOSITORY)).hits
        assert about.title == "acme/webkit"
        assert (readme.title, readme.content.split()) == ("acme/webkit > README.md", ["#", "Webkit", "Routes."])


@pytest.mark.spec("ENC-GITHUB-3")
async def test_a_repository_without_readme_is_still_there_and_one_that_is_not_is_told():
    named = {"repository": "acme/webkit", "type": QueryType.REPOSITORY}
    async with Upstream() as up:
        up.on("/repos/acme/webkit", Act(json=ABOUT), Act(404, json={"message": "Not Found"}), Act(301), Act(json=[]))
        up.on("/repos/acme/webkit/readme", Act(404, json={"message": "Not Found"}))
        assert [hit.title for hit in (await ask(up, **named)).hits] == ["acme/webkit"]
        with pytest.raises(Refused, match="GITHUB_TOKEN"):
            await ask(up, **named)
        with pytest.raises(Refused, match="moved"):
            await ask(up, **named)
        with pytest.raises(Garbled):
            await ask(up, **named)


@pytest.mark.spec("ENC-GITHUB-3")
async def test_a_name_that_is_an_address_or_a_path_is_not_asked_for():
    async with Upstream() as up:
        up.on("/search/repositories", Act(json=github_body()))
        for name in ("https://example.org/a/b", "/etc", "a/../b", "a/b?x=1", "a/b#c"):
            await ask(up, repository=name, type=QueryType.REPOSITORY)
        assert {seen.path for seen in up.seen} == {"/search/repositories"}


@pytest.mark.spec("ENC-GITHUB-4")
@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (Act(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, json={"message": "API rate limit exceeded"}), RateLimited),
        (Act(429, headers={"x-ratelimit-remaining": "0"}, json={}), RateLimited),
        (Act(403, headers={"retry-after": "30"}, json={}), RateLimited),
        (Act(403, json={"message": "You have exceeded a secondary rate limit. Please wait."}), RateLimited),
        (Act(401, json={"message": "Bad credentials"}), AuthRefused),
        (Act(403, json={"message": "Resource not accessible by personal access token"}), AuthRefused),
        (Act(422, json={"message": "Validation Failed", "errors": [{"code": "invalid"}]}), Refused),
        (Act(451, json={}), Refused),
    ],
)  # fmt: skip
async def test_limits_and_refusals_are_told_apart(act, kind):
    async with Upstream() as up:
        up.on("/search/repositories", act)
        with pytest.raises(kind):
            await ask(up)


@pytest.mark.spec("ENC-GITHUB-4")
async def test_a_token_that_is_none_and_a_wrong_address_are_named():
    for secrets, options, told in (
        ({"GITHUB_TOKEN": "a\nb"}, {}, "GITHUB_TOKEN"),
        ({"GITHUB_TOKEN": "schlüssel"}, {}, "GITHUB_TOKEN"),
        ({}, {"base_url": "github.com"}, r"\[sources.github\] base_url"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            async with built(CARD, options, secrets):
                pass
