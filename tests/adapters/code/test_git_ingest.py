"""A question is answered from the files of a repository, as they stand at its newest commit."""

import os
import re
import time

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Locator
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.code.git_clone import Remote
from encyclopedia_adapters.code.mcp_git_ingest import CARD
from encyclopedia_adapters.code.place import place
from encyclopedia_adapters.shared.text_index import TextIndex
from tests.adapters.code.forge import WEBKIT, commit, forge, git, repository, request, source


@pytest.fixture
def webkit(tmp_path):
    return repository(tmp_path / "forge" / "acme" / "webkit", WEBKIT)


@pytest.fixture
def base(tmp_path):
    return {"base_url": f"file://{tmp_path}/forge"}


@pytest.mark.spec("ENC-GIT-3")
async def test_a_hit_says_where_it_stands(tmp_path, webkit, base):
    reply = await source(tmp_path / "home", base).search(request("how does compile_pattern work"))
    head = git("rev-parse", "HEAD", cwd=webkit)
    hit = reply.hits[0]
    assert hit.title == "webkit/routing.py > compile_pattern"
    assert hit.content.startswith("def compile_pattern(path):")
    assert hit.locator == Locator("acme/webkit", "webkit/routing.py", "compile_pattern", (11, 14))
    assert hit.version == head[:12]
    assert not reply.reduced
    assert "commit" in reply.note


@pytest.mark.spec("ENC-GIT-3")
async def test_each_file_is_one_result_and_the_limit_is_kept(tmp_path, base):
    files = {f"src/m{at}.py": "".join(f"def f{n}():\n    return 'widget'\n\n\n\n" for n in range(30)) for at in range(12)}
    repository(tmp_path / "forge" / "acme" / "webkit", files)
    for limit in (1, 5, 30):
        reply = await source(tmp_path / "home", base).search(request("widget", limit=limit))
        paths = [hit.locator.path for hit in reply.hits]
        assert len(paths) == len(set(paths)) == min(limit, 12)
        assert len({hit.page for hit in reply.hits}) == len(paths)


@pytest.mark.spec("ENC-GIT-14")
async def test_what_defines_comes_before_what_tests_it(tmp_path, webkit, base):
    reply = await source(tmp_path / "home", base).search(request("compile_pattern"))
    assert [hit.locator.path for hit in reply.hits][:2] == ["webkit/routing.py", "tests/test_routing.py"]


@pytest.mark.spec("ENC-GIT-14")
async def test_what_defines_comes_before_what_describes_it(tmp_path, base):
    files = {
        "GUIDE.md": "# Guide\n\nThe policy: each retry follows the policy of whoever asks for work.\n",
        "src/core.py": "import time\n\n\ndef run(work):\n    # the retry policy\n    for attempt in range(3):\n        work(attempt)\n",
    }
    repository(tmp_path / "forge" / "acme" / "webkit", files)
    asked = request("where is the retry policy decided", passages=3)
    reply = await source(tmp_path / "home", base).search(asked)
    assert [hit.locator.path for hit in reply.hits] == ["src/core.py", "GUIDE.md"]


@pytest.mark.spec("ENC-GIT-14")
async def test_a_repository_alone_is_its_readme_and_its_files(tmp_path, webkit, base):
    reply = await source(tmp_path / "home", base).search(request("acme/webkit", type=QueryType.REPOSITORY))
    assert [hit.title for hit in reply.hits[:2]] == ["README.md > Webkit", "acme/webkit > files"]
    assert "small router" in reply.hits[0].content
    assert set(reply.hits[1].content.split("\n")) == set(WEBKIT)
    asked = await source(tmp_path / "home", base).search(request("middleware handler", type=QueryType.REPOSITORY))
    assert [hit.locator.path for hit in asked.hits[:3]] == ["README.md", "", "docs/guide.rst"]


@pytest.mark.spec("ENC-GIT-14")
async def test_of_many_files_the_folders_are_told(tmp_path, base):
    repository(tmp_path / "forge" / "acme" / "webkit", {f"src/part{at % 3}/deep/f{at}.py": "x = 1\n" for at in range(300)})
    reply = await source(tmp_path / "home", base).search(request("acme/webkit", type=QueryType.REPOSITORY))
    assert reply.hits[0].content == "\n".join(f"src/part{at}/ (100 files)" for at in range(3))


@pytest.mark.spec("ENC-GIT-7")
async def test_a_new_commit_is_seen_and_only_what_changed_is_read(tmp_path, webkit, base):
    asked = source(tmp_path / "home", base)
    before = (await asked.search(request("router add"))).hits[0]
    (webkit / "docs" / "guide.rst").unlink()
    head = commit(webkit, {"webkit/zebra.py": "def zebra():\n    return 'stripes'\n"})
    index = TextIndex(str(next((tmp_path / "home" / "cache" / "git").glob("acme-webkit-*")) / "index"))
    states = dict(index.documents())
    hits = (await asked.search(request("zebra stripes"))).hits
    assert (hits[0].locator.path, hits[0].version) == ("webkit/zebra.py", head[:12])
    assert before.version != head[:12]
    assert not (await asked.search(request("middleware wraps"))).hits
    now = index.documents()
    assert set(now) - set(states) == {"webkit/zebra.py"}
    assert set(states) - set(now) == {"docs/guide.rst"}
    assert len(list((tmp_path / "home" / "cache" / "git").glob("acme-webkit-*/*.git"))) == 1


@pytest.mark.spec("ENC-GIT-7")
async def test_while_another_one_reads_nothing_old_is_served(tmp_path, webkit, base):
    asked = source(tmp_path / "home", base)
    await asked.search(request("router"))
    (webkit / "docs" / "guide.rst").unlink()
    commit(webkit, {"webkit/routing.py": "def other():\n    return 'compile_pattern middleware'\n"})
    index = TextIndex(str(next((tmp_path / "home" / "cache" / "git").glob("acme-webkit-*")) / "index"))
    with index.update():
        reply = await asked.search(request("compile_pattern middleware"))
    assert [hit.locator.path for hit in reply.hits] == ["tests/test_routing.py"]
    assert reply.reduced == "2 of 3 files of acme/webkit are read so far: another process is reading them just now"
    assert [hit.locator.path for hit in (await asked.search(request("middleware"))).hits] == ["webkit/routing.py"]


@pytest.mark.spec("ENC-GIT-7")
async def test_an_empty_repository_has_no_hits(tmp_path, base):
    repository(tmp_path / "forge" / "acme" / "webkit")
    reply = await source(tmp_path / "home", base).search(request("router"))
    assert (reply.hits, reply.note, reply.reduced) == ((), "acme/webkit is empty", "")


@pytest.mark.spec("ENC-GIT-2")
async def test_a_folder_named_by_hand_is_read(tmp_path, webkit):
    with pytest.raises(Refused, match="named by hand"):
        await source(tmp_path / "home").search(request("router", str(webkit)))
    reply = await source(tmp_path / "home", {"folders": [str(webkit)]}).search(request("router", str(webkit)))
    assert reply.hits[0].locator.corpus == "webkit"
    assert not reply.hits[0].url


@pytest.mark.spec("ENC-GIT-8")
async def test_over_http_a_clone_is_kept_for_its_time(tmp_path, webkit):
    with forge(tmp_path / "forge") as server:
        asked = source(tmp_path / "home", {"base_url": server.url})
        first = await asked.search(request("compile_pattern"))
        assert first.hits[0].url == ""  # whose pages are not known
        clones = server.count("upload-pack")
        commit(webkit, {"later.py": "def later():\n    return 1\n"})
        again = await asked.search(request("compile_pattern"))
        assert server.count("upload-pack") == clones
        assert again.hits[0].version == first.hits[0].version
        fresh = await source(tmp_path / "home", {"base_url": server.url, "max_age": 0}).search(request("later"))
        assert fresh.hits[0].locator.path == "later.py"


@pytest.mark.spec("ENC-GIT-8")
async def test_without_its_server_the_former_clone_answers_and_says_so(tmp_path, webkit):
    with forge(tmp_path / "forge") as server:
        options = {"base_url": server.url, "max_age": 0}
        await source(tmp_path / "home", options).search(request("compile_pattern"))
        server.status = 503
        reply = await source(tmp_path / "home", options).search(request("compile_pattern"))
    assert reply.hits
    assert re.search(r"could not be read.*answered from what was fetched before", reply.reduced)
    reply = await source(tmp_path / "home", options).search(request("compile_pattern"))
    assert reply.hits
    assert reply.reduced


@pytest.mark.spec("ENC-GIT-13")
@pytest.mark.parametrize(
    ("status", "headers", "kind"),
    [
        (500, {}, Unavailable),
        (503, {}, Unavailable),
        (401, {"WWW-Authenticate": 'Basic realm="x"'}, Refused),
        (403, {}, AuthRefused),
        (404, {}, Refused),
        (429, {}, RateLimited),
        (302, {"Location": "http://127.0.0.1:9/acme/webkit/info/refs"}, Refused),
    ],
)
async def test_each_failure_has_its_trouble(tmp_path, webkit, status, headers, kind):
    with forge(tmp_path / "forge") as server:
        server.status, server.headers = status, headers
        with pytest.raises(kind) as caught:
            await source(tmp_path / "home", {"base_url": server.url}).search(request("secret question"))
        assert "secret" not in str(caught.value)
        assert "/info/refs" not in str(caught.value)
    assert not list((tmp_path / "home" / "cache" / "git").glob("acme*"))


@pytest.mark.spec("ENC-GIT-13")
async def test_who_is_not_there_is_unavailable_and_what_is_not_there_refused(tmp_path, webkit):
    with forge(tmp_path / "forge") as server, pytest.raises(Refused, match="not there"):
        await source(tmp_path / "home", {"base_url": server.url}).search(request("x", "acme/missing"))
    with pytest.raises(Unavailable):
        await source(tmp_path / "home", {"base_url": server.url}).search(request("x"))
    with pytest.raises(Refused, match="no repository"):
        await source(tmp_path / "home", {"base_url": f"file://{tmp_path}/forge"}).search(request("x", "acme/missing"))


@pytest.mark.spec("ENC-GIT-12")
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "localhost", "169.254.169.254", "10.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]"]
)
async def test_an_address_inside_the_network_is_refused(tmp_path, host):
    with forge(tmp_path / "forge") as server:
        port = server.url.rpartition(":")[2]
        with pytest.raises(Refused, match="inside a network"):
            await source(tmp_path / "home").search(request("x", f"https://{host}:{port}/acme/webkit"))
        assert server.seen == []


@pytest.mark.spec("ENC-GIT-12")
async def test_a_name_that_is_no_name_is_unavailable(tmp_path):
    with pytest.raises(Unavailable, match="not a name that can be resolved"):
        await source(tmp_path / "home").search(request("x", "https://nothing.invalid/acme/webkit"))


@pytest.mark.spec("ENC-GIT-15")
async def test_a_token_goes_to_its_own_forge_and_into_no_argument(tmp_path, webkit):
    secrets = {"GITHUB_TOKEN": "s3cr3t-t0ken", "GITLAB_TOKEN": "s3cr3t-t0ken"}
    with forge(tmp_path / "forge") as server:
        await source(tmp_path / "home", {"base_url": server.url}, secrets).search(request("router"))
        assert not any("Authorization" in headers for _, headers in server.seen)
        server.seen.clear()
        remote = Remote(place("acme/webkit", server.url), str(tmp_path), "s3cr3t-t0ken")
        assert remote.newest(_limits())
        assert all(headers["Authorization"].startswith("Basic ") for _, headers in server.seen)
    config = [path.read_text() for path in (tmp_path / "home").rglob("config")]
    assert config
    assert not any("s3cr3t" in text or "Authorization" in text for text in config)


def _limits(seconds=30.0):
    import threading

    from encyclopedia_adapters.code.git_program import Limits

    return Limits(time.monotonic() + seconds, threading.Event())


@pytest.mark.spec("ENC-GIT-11")
async def test_the_cache_is_bounded_and_the_least_recently_used_goes_first(tmp_path):
    for name in ("one", "two", "three"):
        repository(tmp_path / "forge" / "acme" / name, {"a.txt": f"{name} widget", "b.bin": os.urandom(300_000)})
    options = {"base_url": f"file://{tmp_path}/forge", "cache_bytes": 800_000}
    cached = tmp_path / "home" / "cache" / "git"
    for at, name in enumerate(("one", "two")):
        await source(tmp_path / "home", options).search(request("widget", f"acme/{name}"))
        os.utime(next(cached.glob(f"acme-{name}-*")), (at + 1000, at + 1000))
    await source(tmp_path / "home", options).search(request("widget", "acme/three"))
    assert sorted(path.name.split("-")[1] for path in cached.glob("acme-*")) == ["three", "two"]
    assert (await source(tmp_path / "home", options).search(request("widget", "acme/one"))).hits
    with pytest.raises(Refused, match=r"larger than 0\.1 MB"):
        await source(tmp_path / "other", options | {"cache_bytes": 100_000}).search(request("widget", "acme/one"))
    assert not list((tmp_path / "other" / "cache" / "git").glob("acme*"))


@pytest.mark.spec("ENC-GIT-11")
async def test_files_are_private(tmp_path, webkit, base):
    await source(tmp_path / "home", base).search(request("router"))
    assert (tmp_path / "home" / "cache" / "git").stat().st_mode & 0o777 == 0o700


@pytest.mark.spec("ENC-GIT-8")
@pytest.mark.parametrize("state", ["", "{", "[1, 2]", '["x", "../../etc", 99999999999]', '["x", "abc", 1e99]'])
async def test_a_damaged_state_is_made_anew(tmp_path, webkit, base, state):
    await source(tmp_path / "home", base).search(request("router"))
    next((tmp_path / "home" / "cache" / "git").glob("acme-*/state.json")).write_text(state)
    reply = await source(tmp_path / "home", base).search(request("compile_pattern"))
    assert reply.hits
    assert not reply.reduced


@pytest.mark.spec("ENC-GIT-1")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"base_url": "ssh://example.org"}, "base_url"),
        ({"base_url": 3}, "base_url"),
        ({"folders": "/src"}, "folders"),
        ({"folders": [1]}, "folders"),
        ({"cache_bytes": "many"}, "cache_bytes"),
        ({"max_age": -1}, "max_age"),
        ({"max_age": True}, "max_age"),
        ({"max_age": float("nan")}, "max_age"),
    ],
)
def test_wrong_settings_are_named(tmp_path, options, told):
    with pytest.raises(ConfigurationError, match=told):
        source(tmp_path / "home", options)


@pytest.mark.spec("ENC-GIT-1")
def test_the_card_needs_git_and_a_repository():
    assert CARD.repository
    assert {need[0] for need in CARD.requires} == {"git", "tantivy"}
    assert CARD.serves == {QueryType.CODE_CONTEXT: 0.40, QueryType.REPOSITORY: 0.70}


@pytest.mark.spec("ENC-GIT-7")
async def test_a_version_that_was_asked_for_is_not_silently_another(tmp_path, webkit, base):
    reply = await source(tmp_path / "home", base).search(request("router", version="1.2"))
    assert "not at version 1.2" in reply.note
