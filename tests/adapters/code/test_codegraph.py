"""The source `codegraph` answers with definitions, their callers and callees, from checkouts and clones."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.outcome import Locator
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.code import codegraph
from encyclopedia_adapters.code.codegraph import CARD
from encyclopedia_adapters.generic import command, mcp
from tests.adapters.code.forge import commit, repository
from tests.adapters.code.graphs import PYTHON, context, request, unpack

ROOT = Path(__file__).parents[3]


@pytest.fixture
def asked(tmp_path):
    checkout = unpack(tmp_path / "webkit", PYTHON)
    return context(tmp_path / "home", {"checkouts": {"acme/webkit": str(checkout)}})


@pytest.mark.spec("ENC-CODEGRAPH-1")
async def test_a_hit_holds_signature_documentation_callers_and_callees(asked):
    reply = await CARD.make(asked).search(request("which placeholders may a path hold", repository="acme/webkit"))
    hit = reply.hits[0]
    assert hit.title == "webkit/routing.py > compile_pattern"
    assert hit.locator == Locator("acme/webkit", "webkit/routing.py", "compile_pattern", (21, 23))
    lines = hit.content.split("\n")
    assert lines[:2] == ["def compile_pattern(path)", "Decides which placeholders a path may hold."]
    assert "Called by: test_it (tests/test_routing.py:5), make (webkit/app.py:10), Router.add (webkit/routing.py:14)" in lines
    assert "Calls: compile" in lines
    assert any(line.startswith("Also in this file: ") for line in lines)
    assert not reply.reduced
    base = (await CARD.make(asked).search(request("Base", repository="acme/webkit"))).hits[0]
    assert "Subclasses: Router (webkit/routing.py:10)" in base.content.split("\n")


@pytest.mark.spec("ENC-CODEGRAPH-1")
async def test_each_file_is_one_hit_within_the_limit(asked):
    for limit in (1, 3, 10):
        hits = (await CARD.make(asked).search(request("path router pattern close", limit=limit))).hits
        paths = [hit.locator.path for hit in hits]
        assert len(paths) == len(set(paths)) == len({hit.page for hit in hits}) <= limit
    assert (await CARD.make(asked).search(request("path", limit=1, type=QueryType.REPOSITORY))).hits


@pytest.mark.spec("ENC-CODEGRAPH-1")
async def test_hostile_text_comes_out_clean(tmp_path):
    checkout = unpack(tmp_path / "w", {"a.py": 'def evil():\n    """Doc \x1b[31m\u202e <script>x</script> end"""\n'})
    source = CARD.make(context(tmp_path / "home", {"checkouts": {"w": str(checkout)}}))
    hit = (await source.search(request("evil"))).hits[0]
    assert hit.content.split() == ["def", "evil()", "Doc", "end"]


@pytest.mark.spec("ENC-CODEGRAPH-2")
async def test_a_clone_answers_at_its_commit(tmp_path):
    path = repository(tmp_path / "forge" / "acme" / "webkit", PYTHON)
    source = CARD.make(context(tmp_path / "home", {"base_url": f"file://{tmp_path}/forge"}))
    before = (await source.search(request("compile_pattern", repository="acme/webkit"))).hits[0]
    head = commit(path, {"webkit/routing.py": "\n\ndef compile_pattern(path, strict):\n    pass\n"})
    after = (await source.search(request("compile_pattern", repository="acme/webkit"))).hits[0]
    assert before.locator.lines == (21, 23)
    assert after.locator.lines == (3, 4)
    assert after.content.startswith("def compile_pattern(path, strict)")
    assert before.version != after.version
    assert not head or after.version == head[:12]
    assert len(list((tmp_path / "home" / "index" / "codegraph").glob("*.db"))) == 1


@pytest.mark.spec("ENC-CODEGRAPH-2")
async def test_without_a_repository_the_checkouts_answer_or_nobody(asked, tmp_path):
    assert (await CARD.make(asked).search(request("compile_pattern"))).hits
    reply = await CARD.make(context(tmp_path / "other", {})).search(request("compile_pattern"))
    assert reply.hits == ()
    assert "checkouts" in reply.note
    for name in ("/etc", "file:///etc", "../..", "-x"):
        with pytest.raises(Refused):
            await CARD.make(asked).search(request("x", repository=name))


@pytest.mark.spec("ENC-CODEGRAPH-2")
async def test_what_is_not_read_yet_is_told(tmp_path):
    checkout = unpack(tmp_path / "w", {f"m{at}.py": f"def widget{at}(): pass\n" * 50 for at in range(400)})
    source = CARD.make(context(tmp_path / "home", {"checkouts": {"w": str(checkout)}}))
    reply = await source.search(request("widget1", timeout=0.6))
    assert "are read so far" in reply.reduced
    assert (await source.search(request("widget399"))).hits[0].locator.path == "m399.py"


@pytest.mark.spec("ENC-CODEGRAPH-3")
@pytest.mark.parametrize("wrong", ["x", ["/srv"], {"a": 1}, {"a": "/no/such/folder"}])
def test_wrong_checkouts_are_named(tmp_path, wrong):
    with pytest.raises(ConfigurationError, match="checkouts"):
        CARD.make(context(tmp_path, {"checkouts": wrong}))


@pytest.mark.spec("ENC-CODEGRAPH-3")
def test_the_checkouts_are_indexed_by_command(asked, tmp_path):
    assert CARD.state(asked) == "acme/webkit: 0 files"
    done = []
    report = CARD.index(asked, lambda path, *_: done.append(path))
    assert (report.added, report.changed, len(done)) == (len(PYTHON), 0, len(PYTHON))
    assert CARD.state(asked) == f"acme/webkit: {len(PYTHON)} files"
    assert CARD.index(asked, lambda *_: None).unchanged == len(PYTHON)
    assert CARD.state(context(tmp_path, {})) == "no checkouts are configured"
    assert not CARD.default


@pytest.mark.spec("ENC-CODEGRAPH-4")
def test_the_tables_for_other_graphs_are_right():
    text = codegraph.__doc__.replace("\n    ", "\n")
    tables = tomllib.loads("\n".join(line for line in text.split("\n") if line.startswith("[") or " = " in line))["sources"]
    for name, kind in (("codegraphcontext", mcp), ("cgcli", command)):
        card = kind.card(name, tables[name])
        assert card.serves == CARD.serves


@pytest.mark.spec("ENC-CODEGRAPH-3")
def test_the_card_costs_no_library():
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'adapters')!r}]; from encyclopedia_adapters.code import codegraph;"
        "print([m for m in ('tree_sitter', 'sqlite3', 'asyncio', 'subprocess', 'hashlib', 'Stemmer') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
