"""Repositories that are asked through the Python face: real packages, and small ones made for the purpose."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from encyclopedia import ConfigurationError, Encyclopedia, Hit, Locator, NoSourceAnswered, QueryType, Reply, UsageError
from encyclopedia.faces.code_analysis import definition, where
from encyclopedia.faces.code_place import Place, repository
from encyclopedia.model.errors import Unavailable
from encyclopedia.model.outcome import Relation
from encyclopedia_adapters.generic.fixed import Fixed
from tests.adapters.code import forge
from tests.switches import off

CODE = {QueryType.CODE_CONTEXT: 0.4}
# question, the file, the beginning of the line that defines the answer, one who calls it
REAL = {
    "pybreaker": [
        (
            "where is it decided whether an exception counts as a failure",
            "pybreaker/__init__.py",
            "def is_system_error(",
            "CircuitBreakerState._handle_error",
        ),
        ("where is it decided that the circuit opens", "pybreaker/__init__.py", "def open(", "CircuitClosedState.on_failure"),
    ],
    "diskcache": [
        ("where is the eviction policy decided", "diskcache/core.py", "def _cull(", "Cache.set"),
        ("where are values written to files", "diskcache/core.py", "def store(", "Cache.set"),
    ],
    "jmespath": [
        (
            "where is the type of an argument checked",
            "jmespath/functions.py",
            "def _validate_arguments(",
            "Functions.call_function",
        ),
    ],
    "structlog": [
        (
            "where is the timestamp added to log entries",
            "structlog/processors.py",
            "class TimeStamper",
            "MaybeTimeStamper.__init__",
        ),
    ],
}


def unpacked(name: str, target: Path) -> Path:
    """The source of an installed package, as a source distribution would have it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, target / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return target


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Engines that ask no service; the repositories' own sources are the real ones unless others are passed in."""
    monkeypatch.chdir(tmp_path)

    def build(*sources: Fixed, environ: dict[str, str] | None = None, tables: str = "") -> Encyclopedia:
        (tmp_path / "home").mkdir(exist_ok=True)
        (tmp_path / "home" / "config.toml").write_text(tables)
        kept = {"PATH": "/usr/bin:/bin", **off("mcp_git_ingest"), **(environ or {})}
        return Encyclopedia(home=str(tmp_path / "home"), sources=sources, environ=kept)

    return build


@pytest.mark.spec("ENC-CODE-1", "ENC-CODE-2")
@pytest.mark.parametrize("package", REAL)
async def test_real_packages_name_file_lines_and_callers(engine: Any, tmp_path: Path, package: str) -> None:
    folder = unpacked(package, tmp_path / "unpacked")
    if package == "pybreaker":
        forge.git("init", "-q", cwd=folder)
        forge.git("add", "-A", cwd=folder)
        forge.git("commit", "-q", "-m", "all", cwd=folder)
    async with engine() as e:
        for question, path, start, caller in REAL[package]:
            found = await e.code(str(folder), question, depth="deep", timeout=60)
            best = found.files[0]
            source = (folder / path).read_text().split("\n")
            line = next(at for at, text in enumerate(source, 1) if text.strip().startswith(start))
            assert best.path == path, question
            assert best.lines[0] <= line <= best.lines[1], (question, best.lines, line)
            callers = [relation for relation in best.relations if relation.kind == "caller"]
            assert caller in {relation.name for relation in callers}, question
            name = start.split("(")[0].split()[-1]
            for relation in callers:
                assert name in (folder / relation.path).read_text().split("\n")[relation.line - 1]
            assert found.analysis.startswith(f"{path}:{best.lines[0]}-{best.lines[1]} holds `{source[line - 1].strip()[:20]}")
            assert f"{callers[0].name} ({callers[0].path}:{callers[0].line}" in found.analysis
            assert not found.degraded


@pytest.mark.spec("ENC-CODE-1")
async def test_the_shallow_answer_has_files_lines_and_sentences(engine: Any, tmp_path: Path) -> None:
    forge.repository(tmp_path / "webkit", forge.WEBKIT)
    async with engine() as e:
        found = await e.code("webkit", "how does compile_pattern work")
    body = found.to_dict()
    assert list(body)[:8] == ["schema_version", "status", "repository", "question", "depth", "analysis", "files", "commit"]
    assert (body["status"], body["repository"], body["depth"]) == ("success", str(tmp_path / "webkit"), "shallow")
    row = body["files"][0]
    assert (row["path"], row["lines"], row["section"]) == ("webkit/routing.py", [11, 14], "compile_pattern")
    assert row["content"].startswith("def compile_pattern(path):")
    assert "callers" not in row
    assert body["analysis"].startswith(
        "webkit/routing.py:11-14 holds `def compile_pattern(path):`: A pattern out of a path with placeholders."
    )
    assert [row["source"] for row in body["outcomes"]] == ["mcp_git_ingest"]
    scores = [row["score"] for row in body["files"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.spec("ENC-CODE-2")
async def test_the_deep_answer_has_callers_callees_and_importers_as_rows(engine: Any, tmp_path: Path) -> None:
    files = {
        "shop/till.py": 'def total(rows):\n    """Adds up a bill."""\n    return sum(price(row) for row in rows)\n\n\ndef price(row):\n    return row\n',
        "shop/desk.py": "from shop.till import total\n\n\ndef pay(rows):\n    return total(rows)\n",
    }
    forge.repository(tmp_path / "shop", files)
    async with engine() as e:
        found = await e.code("./shop", "where is the bill added up", depth="deep")
    row = found.to_dict()["files"][0]
    assert (row["path"], row["lines"], row["sources"]) == ("shop/till.py", [1, 3], ["mcp_git_ingest", "codegraph"])
    assert row["callers"] == [{"name": "pay", "path": "shop/desk.py", "line": 5}]
    assert row["callees"] == [{"name": "price", "path": "shop/till.py", "line": 6}]
    assert row["importers"] == [{"name": "desk", "path": "shop/desk.py", "line": 1}]
    assert row["subclasses"] == []
    assert found.analysis.split("\n\n")[0] == (
        "shop/till.py:1-3 holds `def total(rows):`: Adds up a bill. It is called by pay (shop/desk.py:5). "
        "It calls price (shop/till.py:6). It is imported by desk (shop/desk.py:1)."
    )


@pytest.mark.spec("ENC-CODE-3")
async def test_a_folder_is_read_as_it_lies_there(engine: Any, tmp_path: Path) -> None:
    folder = forge.repository(tmp_path / "webkit", forge.WEBKIT)
    async with engine() as e:
        assert not (await e.code(folder.as_uri(), "zebra stripes")).files
        (folder / "webkit" / "zebra.py").write_text("def zebra():\n    return 'stripes'\n")
        assert (await e.code(folder.as_uri(), "zebra stripes")).files[0].path == "webkit/zebra.py"
        (folder / "webkit" / "zebra.py").write_text("\n\ndef zebra():\n    return 'stripes of a zebra'\n")
        assert (await e.code(folder.as_uri(), "zebra stripes")).files[0].lines == (1, 5)
        (folder / "webkit" / "zebra.py").unlink()
        gone = await e.code(folder.as_uri(), "zebra stripes")
    assert (gone.code, gone.body["message"]) == (2, f"nothing found in {folder} about 'zebra stripes'")
    assert gone.body["outcomes"][0]["status"] == "empty"


@pytest.mark.spec("ENC-CODE-3")
async def test_a_bare_repository_is_read_at_its_commit(engine: Any, tmp_path: Path) -> None:
    webkit = forge.repository(tmp_path / "webkit", forge.WEBKIT)
    forge.git("clone", "-q", "--bare", str(webkit), str(tmp_path / "bare.git"), cwd=tmp_path)
    async with engine() as e:
        found = await e.code(str(tmp_path / "bare.git"), "compile_pattern", depth="deep")
    assert (found.files[0].path, found.files[0].sources) == ("webkit/routing.py", ("mcp_git_ingest", "codegraph"))
    assert found.body["commit"] == forge.git("rev-parse", "HEAD", cwd=webkit)[:12]


@pytest.mark.spec("ENC-CODE-3")
async def test_a_query_cannot_name_a_folder(engine: Any, tmp_path: Path) -> None:
    forge.repository(tmp_path / "webkit", forge.WEBKIT)
    async with engine() as e:
        for text in (f"repo:{tmp_path}/webkit router", f"repo:file://{tmp_path}/webkit router"):
            with pytest.raises(UsageError):
                await e.search(text, sources="mcp_git_ingest")
        asked = e.engine.pipeline.prepare(e.query("repo:acme/webkit router", {})[0]).value
    assert {ask.request.folder for ask in asked.asks} == {""}


@pytest.mark.spec("ENC-CODE-4")
async def test_without_a_graph_the_answer_is_shallow_and_says_so(engine: Any, tmp_path: Path) -> None:
    forge.repository(tmp_path / "webkit", forge.WEBKIT)
    async with engine(environ={"ENCYCLOPEDIA_ENABLE_CODEGRAPH": "0"}) as e:
        found = await e.code("webkit", "compile_pattern", depth="deep")
    body = found.to_dict()
    assert (found.code, found.degraded, body["files"][0]["callers"]) == (0, True, [])
    hint = "set ENCYCLOPEDIA_ENABLE_CODEGRAPH=1 to switch it on"
    assert body["degradation"]["missing"] == [
        {"source": "codegraph", "reason": "switched off", "optional": False, "hint": hint}
    ]


@pytest.mark.spec("ENC-ROUTE-13")
async def test_the_graph_is_asked_where_it_is_named_although_nobody_switched_it_on(engine: Any, tmp_path: Path) -> None:
    folder = forge.repository(tmp_path / "webkit", forge.WEBKIT)
    table = f'[sources.codegraph]\ncheckouts = {{ "acme/webkit" = "{folder}" }}\n'
    async with engine(tables=table) as e:
        found = await e.search("repo:acme/webkit compile_pattern", sources="codegraph")
        assert found.results[0].source == "codegraph"
        asked = e.engine.pipeline.prepare(e.query("repo:acme/webkit compile_pattern", {})[0]).value
        assert "codegraph" in {left.source for left in asked.declined if left.optional}
    async with engine(tables=f"{table}enabled = false\n") as e:
        with pytest.raises(ConfigurationError, match="switched off"):
            await e.search("repo:acme/webkit compile_pattern", sources="codegraph")


@pytest.mark.spec("ENC-CODE-3")
async def test_the_repository_that_is_named_goes_before_one_in_the_question(engine: Any, tmp_path: Path) -> None:
    forge.repository(tmp_path / "webkit", forge.WEBKIT)
    async with engine() as e:
        found = await e.code("webkit", "repo:acme/other compile_pattern")
    assert found.files[0].path == "webkit/routing.py"


@pytest.mark.spec("ENC-CODE-4")
async def test_the_graph_is_never_sent_to_another_forge(engine: Any, tmp_path: Path) -> None:
    forge.repository(tmp_path / "forge" / "acme" / "webkit", forge.WEBKIT)
    table = f'[sources.NAME]\nbase_url = "file://{tmp_path}/forge"\n'
    reader = table.replace("NAME", "mcp_git_ingest")
    async with engine(tables=reader) as e:
        found = await e.code("acme/webkit", "compile_pattern", depth="deep")
    assert found.body["degradation"]["missing"][0]["reason"] == "it would read another forge"
    assert [row["source"] for row in found.body["outcomes"]] == ["mcp_git_ingest"]
    async with engine(tables=reader + table.replace("NAME", "codegraph")) as e:
        found = await e.code("acme/webkit", "compile_pattern", depth="deep")
    assert (found.degraded, found.files[0].sources) == (False, ("mcp_git_ingest", "codegraph"))


@pytest.mark.spec("ENC-CODE-5")
async def test_what_cannot_be_read_is_an_outcome_and_what_is_no_folder_an_error(engine: Any, tmp_path: Path) -> None:
    reader, graph = (Fixed(name, serves=CODE, raises=Unavailable("gone")) for name in ("mcp_git_ingest", "codegraph"))
    async with engine(reader, graph) as e:
        with pytest.raises(NoSourceAnswered) as told:
            await e.code("acme/webkit", "router", depth="deep")
        (tmp_path / "file.py").write_text("x = 1")
        for path in ("nowhere", "file.py"):
            with pytest.raises(ConfigurationError, match="is not a folder"):
                await e.code(str(tmp_path / path), "router")
    outcomes = {row["source"]: row["status"] for row in told.value.details["outcomes"]}
    assert outcomes == {"mcp_git_ingest": "unavailable", "codegraph": "unavailable"}


@pytest.mark.spec("ENC-CODE-5")
async def test_one_of_the_two_is_enough(engine: Any, tmp_path: Path) -> None:
    hit = Hit("a.py > f", content="def f(): ...", locator=Locator("x", "a.py", "f", (3, 4)), page="a")
    reader, graph = Fixed("mcp_git_ingest", [hit], serves=CODE), Fixed("codegraph", serves=CODE, raises=Unavailable("gone"))
    async with engine(reader, graph) as e:
        found = await e.code("acme/webkit", "f", depth="deep")
        assert (found.code, found.degraded, found.files[0].lines) == (0, True, (3, 4))
        assert (reader.requests[0].repository, reader.requests[0].folder, reader.requests[0].passages) == ("acme/webkit", "", 3)
    async with engine(Fixed("mcp_git_ingest", serves=CODE, reply=Reply(reduced="half read"))) as e:
        nothing = await e.code("acme/webkit", "f")
    assert nothing.body["message"] == "nothing found in what could be read of acme/webkit"


@pytest.mark.spec("ENC-CODE-6")
async def test_depth_and_repository_are_checked(engine: Any) -> None:
    async with engine() as e:
        with pytest.raises(ConfigurationError, match="unknown depth 'deeper'") as told:
            await e.code("acme/webkit", "router", depth="deeper")
        assert "deep" in told.value.hint
        for wrong in ("", "webkit", "acme/../x", "-u/x", "a b/c", "file:webkit", "a/b\n"):
            with pytest.raises(UsageError):
                await e.code(wrong, "router")
        with pytest.raises(UsageError):
            await e.code("acme/webkit", " ")
        with pytest.raises(UsageError):
            await e.code("acme/webkit", "router", limit=0)


@pytest.mark.spec("ENC-CODE-7")
async def test_places_are_fused_and_a_file_has_at_most_three(engine: Any) -> None:
    def at(first: int, path: str = "a.py", *more: Relation) -> Hit:
        section = f"f{first}"
        return Hit(
            section, content=f"def {section}(): ...", locator=Locator("x", path, section, (first, first + 5)), relations=more
        )

    caller = Relation("caller", "main", "b.py", 7)
    reader = Fixed("mcp_git_ingest", [at(10), at(20), at(30), at(40), at(1, "z.py")], serves=CODE)
    graph = Fixed("codegraph", [at(32, "a.py", caller), at(2, "only.py")], serves=CODE)
    async with engine(reader, graph) as e:
        found = await e.code("acme/webkit", "f", depth="deep", limit=9)
    places = [(one.path, one.lines[0]) for one in found.files if one.lines]
    assert places == [("a.py", 32), ("a.py", 10), ("only.py", 2), ("a.py", 20), ("z.py", 1)]
    assert found.files[0].sources == ("codegraph", "mcp_git_ingest")
    assert found.files[0].score == 1 / 11 + 1 / 13
    assert (found.files[0].content, found.files[0].relations) == ("def f30(): ...", (caller,))


@pytest.mark.spec("ENC-CODE-6")
def test_what_names_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "lib").mkdir(parents=True)
    (tmp_path / "a b").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    here = str(tmp_path)
    table = {
        "acme/webkit": ("acme/webkit", ""),
        "github.com/acme/webkit": ("https://github.com/acme/webkit", ""),
        "https://example.org/a/b.git": ("https://example.org/a/b.git", ""),
        "https://me:word@example.org/a/b": ("https://@example.org/a/b", ""),
        "git@example.org:a/b.git": ("https://example.org/a/b.git", ""),
        "ssh://git@example.org/a/b": ("https://example.org/a/b", ""),
        "acme/group/webkit": ("acme/group/webkit", ""),
        ".": (here, here),
        "src": (f"{here}/src", f"{here}/src"),
        "~/src": (f"{here}/src", f"{here}/src"),
        f"file://{here}/a%20b": (f"{here}/a b", f"{here}/a b"),
    }
    for argument, (name, folder) in table.items():
        assert repository(argument) == Place(name, folder), argument
    both = repository("src/lib")
    assert (both.folder, "https://github.com/src/lib" in both.note) == (f"{here}/src/lib", True)


@pytest.mark.spec("ENC-CODE-8")
@pytest.mark.parametrize(
    ("content", "section", "signature", "doc"),
    [
        ('@wrap\ndef add(a):\n    """Adds. And more."""\n', "Sum.add", "def add(a):", "Adds."),
        ('def add(\n    a,\n):\n    r"""\n    Adds\n    """\n', "Sum > add", "def add(", "Adds"),
        (
            "// Lends one.\n// Or waits.\nfunc (p *Pool) Lend() error {\n",
            "Pool.Lend",
            "func (p *Pool) Lend() error {",
            "Lends one.",
        ),
        ('class Sum:\n    """Adds\n    up and\n\n    more."""\n', "Sum", "class Sum:", "Adds up and"),
        ("/** Sells.\n */\npublic class Shop {\n", "Shop", "public class Shop {", "Sells."),
        ("# add is not here\nx = 1\n", "add", "", ""),
        ("def add(a):\n    return 1\n", "add", "def add(a):", ""),
        ("Some prose", "Guide > Middle ware", "", ""),
        ("", "", "", ""),
    ],
)
def test_the_analysis_says_what_is_defined_and_nothing_else(content: str, section: str, signature: str, doc: str) -> None:
    assert definition(content, section) == (signature, doc)


@pytest.mark.spec("ENC-CODE-8")
def test_places_are_written_as_editors_do() -> None:
    assert [where("a", (1, 2)), where("a", (3, 3)), where("a", None)] == ["a:1-2", "a:3", "a"]
