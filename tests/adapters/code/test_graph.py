"""A code graph says what is defined where and what calls what, in every language, and keeps up with the files."""

import os
import sqlite3
import threading
import time
from importlib.util import find_spec

import pytest

from encyclopedia_adapters.code.git_program import Limits, Stopped
from encyclopedia_adapters.code.graph import CodeGraph
from encyclopedia_adapters.code.graph_imports import imports
from encyclopedia_adapters.code.graph_languages import LANGUAGES, language_of
from encyclopedia_adapters.code.graph_store import Store
from tests.adapters.code.graphs import OTHERS, PYTHON, graph, led_to, one, unpack


@pytest.fixture(scope="module")
def webkit(tmp_path_factory):
    return graph(tmp_path_factory.mktemp("webkit"), PYTHON)


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    return graph(tmp_path_factory.mktemp("others"), OTHERS)


@pytest.mark.spec("ENC-GRAPH-1")
def test_a_definition_has_its_lines_its_signature_and_its_documentation(webkit):
    symbol = one(webkit, "compile_pattern")
    assert symbol[:7] == (
        "webkit/routing.py",
        "compile_pattern",
        "compile_pattern",
        "function",
        21,
        23,
        "def compile_pattern(path)",
    )
    assert symbol.doc == "Decides which placeholders a path may hold."
    assert one(webkit, "Router.add").kind == "method"
    assert webkit.find("Router.nothing") == []
    assert [symbol.kind for symbol in webkit.find("routing")] == ["module"]


@pytest.mark.spec("ENC-GRAPH-1")
@pytest.mark.parametrize(
    ("name", "kind", "path", "lines", "signature", "doc"),
    [
        ("Store", "class", "web/store.js", (4, 7), "export class Store extends Cache", "Keeps what was fetched."),
        ("get", "function", "web/net.js", (1, 3), "export const get = async (key) =>", ""),
        ("Shown", "interface", "web/view.ts", (2, 2), "export interface Shown", ""),
        ("View.draw", "method", "web/view.ts", (4, 4), "draw(): void", ""),
        ("Page", "function", "web/page.tsx", (1, 3), "export function Page()", ""),
        ("Pool", "class", "go/pool/pool.go", (6, 8), "type Pool struct", "Pool lends connections."),
        ("Pool.Lend", "method", "go/pool/pool.go", (10, 13), "func (p *Pool) Lend() error", ""),
        ("Disk.flush", "method", "rust/src/lib.rs", (10, 10), "fn flush(&self)", "Writes everything out."),
        ("Shop.sell", "method", "java/acme/Shop.java", (6, 6), "int sell(int n)", ""),
        ("main", "function", "c/main.c", (4, 7), "int main(void)", "Starts it."),
        ("geo.Circle.area", "method", "cpp/shape.cpp", (7, 7), "double Circle::area() const", ""),
    ],
)
def test_each_language_has_its_definitions(others, name, kind, path, lines, signature, doc):  # noqa: PLR0917 - a row of the table
    symbol = one(others, name)
    assert (symbol.kind, symbol.path, (symbol.first, symbol.last), symbol.signature, symbol.doc) == (
        kind,
        path,
        lines,
        signature,
        doc,
    )


@pytest.mark.spec("ENC-GRAPH-2")
def test_a_call_leads_where_the_text_says(webkit):
    assert led_to(webkit, "Router.add") == [
        ("compile_pattern", "webkit/routing.py:compile_pattern", "file"),
        ("reset", "webkit/routing.py:Base.reset", "class"),
    ]
    assert led_to(webkit, "Router.find") == [("Missing", "webkit/errors.py:NotFound", "import")]
    assert led_to(webkit, "make") == [
        ("Router", "webkit/routing.py:Router", "import"),
        ("add", "webkit/routing.py:Router.add", "name"),
        ("other", "", "outside"),
        ("compile_pattern", "webkit/routing.py:compile_pattern", "import"),
    ]


@pytest.mark.spec("ENC-GRAPH-2")
def test_what_cannot_be_known_is_not_guessed(webkit):
    assert led_to(webkit, "end") == [("close", "", "several")]
    assert led_to(webkit, "compile_pattern") == [("compile", "", "outside")]
    assert [(call.caller.qualified, call.how) for call in webkit.callers(one(webkit, "Pool.close"))] == [("end", "several")]


@pytest.mark.spec("ENC-GRAPH-2")
def test_callers_are_named_with_their_lines(webkit):
    callers = webkit.callers(one(webkit, "compile_pattern"))
    assert [(call.caller.path, call.caller.qualified, call.line) for call in callers] == [
        ("tests/test_routing.py", "test_it", 5),
        ("webkit/app.py", "make", 10),
        ("webkit/routing.py", "Router.add", 14),
    ]
    renamed = webkit.callers(one(webkit, "NotFound"))
    assert [call.caller.qualified for call in renamed] == ["Router.find"]


@pytest.mark.spec("ENC-GRAPH-2")
@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("Store.load", [("fetchIt", "web/net.js:get", "import"), ("keep", "web/store.js:Store.keep", "class")]),
        ("View.draw", [("Store", "web/store.js:Store", "import"), ("load", "web/store.js:Store.load", "name")]),
        ("Page", [("title", "web/page.tsx:title", "file")]),
        (
            "Pool.Lend",
            [
                ("grow", "go/pool/pool.go:Pool.grow", "class"),
                ("Dial", "go/wire/wire.go:Dial", "import"),
                ("limit", "go/pool/limit.go:limit", "package"),
            ],
        ),
        ("Disk.put", [("flush", "rust/src/lib.rs:Disk.flush", "class"), ("encode", "rust/src/codec.rs:encode", "import")]),
        ("Shop.sell", [("of", "java/acme/money/Price.java:Price.of", "import")]),
        ("Shop.Shop", [("sell", "java/acme/Shop.java:Shop.sell", "file")]),
        ("main", [("list_len", "c/list.c:list_len", "import")]),
        ("Circle.twice", [("area", "cpp/shape.cpp:geo.Circle.area", "class")]),
    ],
)
def test_each_language_has_its_calls(others, name, calls):
    assert sorted(led_to(others, name)) == sorted(calls)


@pytest.mark.spec("ENC-GRAPH-3")
def test_bases_and_imports_are_known(webkit, others):
    assert [symbol.qualified for symbol in webkit.subclasses("Base")] == ["Router"]
    for base, name in (
        ("Cache", "Store"),
        ("Shown", "View"),
        ("Base", "Pool"),
        ("Sink", "Disk"),
        ("House", "Shop"),
        ("Open", "Shop"),
    ):
        assert [symbol.name for symbol in others.subclasses(base)] == [name]
    assert [symbol.qualified for symbol in others.subclasses("Shape")] == ["geo.Circle"]
    assert webkit.imports("webkit/app.py") == [
        ("webkit", "Router", "Router", 1),
        ("os", "compile_pattern", "other", 2),
        ("webkit.routing", "", "r", 3),
    ]
    assert webkit.imports("nothing.py") == []


@pytest.mark.spec("ENC-GRAPH-3")
@pytest.mark.parametrize(
    ("family", "statement", "found"),
    [
        ("python", "from ..a import (\n  b as c,  # why\n  d,\n)", [("..a", "b", "c"), ("..a", "d", "d")]),
        ("python", "import a.b, c as d", [("a.b", "", "a.b"), ("c", "", "d")]),
        ("script", "import x, { type T, u as v } from './m'", [("./m", "T", "T"), ("./m", "u", "v"), ("./m", "", "x")]),
        ("script", 'import * as all from "pkg"', [("pkg", "", "all")]),
        ("script", "const { a, b: c } = require('./n')", [("./n", "a", "a"), ("./n", "b", "c")]),
        ("script", "export * from './o'", [("./o", "*", "*")]),
        ("script", "import './p.css'", [("./p.css", "", "")]),
        ("go", 'q "example.org/a/v2"', [("example.org/a/v2", "", "q")]),
        ("go", '"example.org/a/v2"', [("example.org/a/v2", "", "a")]),
        (
            "rust",
            "pub use a::{b::{c, d as e}, f::*, self};",
            [("a::b", "c", "c"), ("a::b", "d", "e"), ("a::f", "*", "*"), ("a", "", "a")],
        ),
        ("java", "import static a.B.*;", [("a.B", "*", "*")]),
        ("c", "#include <sys/x.h>", [("sys/x.h", "*", "*")]),
    ],
)
def test_an_import_brings_names(family, statement, found):
    assert [tuple(taken)[:3] for taken in imports(family, statement, 1)] == found


@pytest.mark.spec("ENC-GRAPH-4")
def test_a_question_finds_definitions_by_their_words(webkit, others):
    for question in ("compile_pattern", "which placeholders are decided", "pattern compile"):
        assert webkit.search(question, 3)[0][0].qualified == "compile_pattern"
    assert webkit.search("Router", 3)[0][0].kind == "class"
    assert others.search("lending connections", 3)[0][0].qualified == "Pool"
    assert others.search("fetch it", 1)[0][0].path.startswith("web/")
    scores = [score for _, score in webkit.search("path", 10)]
    assert scores == sorted(scores, reverse=True)
    for nothing in ("", "zzz", '"', "' OR 1 --", "*", "NEAR(", "\x00", "\ud800", "名前"):
        assert webkit.search(nothing, 3) == []


@pytest.mark.spec("ENC-GRAPH-5")
def test_only_what_changed_is_read(tmp_path):
    made = graph(tmp_path, PYTHON)
    asked = []
    assert made.update(lambda path, *_: asked.append(path)).unchanged == len(PYTHON)
    assert asked == []
    root = tmp_path / "repository"
    os.utime(root / "webkit" / "app.py", (1, 1))
    unpack(root, {"webkit/errors.py": "def gone():\n    pass\n", "webkit/new.py": "def fresh():\n    gone()\n"})
    (root / "webkit" / "close.py").unlink()
    report = made.update(lambda path, *_: asked.append(path))
    assert asked == ["webkit/app.py", "webkit/errors.py", "webkit/new.py"]
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, len(PYTHON) - 2)
    assert led_to(made, "fresh") == [("gone", "webkit/errors.py:gone", "name")]
    assert made.find("NotFound") == made.find("Pool") == []
    assert all(symbol.path != "webkit/errors.py" for symbol, _ in made.search("NotFound", 9))


@pytest.mark.spec("ENC-GRAPH-5")
def test_an_interrupted_update_keeps_what_it_read(tmp_path):
    stop = threading.Event()
    made = CodeGraph(
        str(unpack(tmp_path / "r", {f"m{at}.py": f"def f{at}(): pass\n" for at in range(9)})), str(tmp_path / "i.db")
    )

    def progress(path, done, all):
        if done == 4:
            stop.set()

    with pytest.raises(Stopped):
        made.update(progress, Limits(time.monotonic() + 60, stop))
    assert made.files() == 5
    assert made.update().added == 4
    assert made.files() == 9


@pytest.mark.spec("ENC-GRAPH-5")
@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_or_foreign_index_is_made_anew(tmp_path, damage):
    made = graph(tmp_path, PYTHON)
    (tmp_path / "index" / "repository.db").write_bytes(damage)
    for end in ("-wal", "-shm"):
        (tmp_path / "index" / f"repository.db{end}").unlink(missing_ok=True)
    assert made.find("Router") == []
    made.update()
    assert one(made, "Router").kind == "class"
    con = sqlite3.connect(tmp_path / "index" / "repository.db")
    con.execute("PRAGMA user_version=999")
    con.close()
    assert made.files() == 0
    assert made.update().added == len(PYTHON)
    assert (tmp_path / "index" / "repository.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.spec("ENC-GRAPH-5")
def test_one_process_at_a_time_writes(tmp_path):
    made = graph(tmp_path, PYTHON)
    with Store(str(tmp_path / "index" / "repository.db")).writer(), pytest.raises(BlockingIOError):
        made.update()
    with pytest.raises(FileNotFoundError):
        CodeGraph(str(tmp_path / "nowhere"), str(tmp_path / "n.db")).update()


@pytest.mark.spec("ENC-GRAPH-1")
def test_a_language_is_known_by_the_end_of_the_name():
    known = {
        "a/b.py": "python",
        "x.D.TS": "typescript",
        "Makefile": "",
        ".py": "python",
        "a.h": "cpp",
        "b.tsx": "tsx",
        "c.txt": "",
    }
    assert {path: language_of(path) for path in known} == known
    assert {language.package for language in LANGUAGES.values()} >= {"tree_sitter_go", "tree_sitter_rust"}


REAL = [
    ("jmespath", "where is a number tokenized by the lexer", "lexer.py", "Lexer._consume_number", {"Lexer.tokenize"}),
    ("jmespath", "visit_field", "visitor.py", "TreeInterpreter.visit_field", set()),
    ("pybreaker", "reset_timeout", "__init__.py", "CircuitBreaker.reset_timeout", set()),
    ("pybreaker", "CircuitBreaker.call", "__init__.py", "CircuitBreaker.call", {"CircuitBreaker.calling"}),
    ("structlog", "ConsoleRenderer", "dev.py", "ConsoleRenderer", set()),
    ("structlog", "merge_contextvars", "contextvars.py", "merge_contextvars", set()),
]


@pytest.mark.spec("ENC-GRAPH-6")
@pytest.mark.parametrize(("package", "question", "path", "qualified", "callers"), REAL)
def test_in_real_packages_a_question_leads_to_file_and_lines(tmp_path, package, question, path, qualified, callers):
    folder = find_spec(package).submodule_search_locations[0]
    made = CodeGraph(folder, str(tmp_path / "i.db"))
    report = made.update()
    assert not report.skipped
    found = made.search(question, 3)
    symbol = found[0][0]
    assert (symbol.path, symbol.qualified) == (path, qualified)
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        line = file.readlines()[symbol.first - 1]
    assert symbol.name in line
    assert line.lstrip().startswith(("def ", "class "))
    assert {call.caller.qualified for call in made.callers(symbol)} >= callers
