"""Books as a graph through the Python face, the command and its pictures."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from encyclopedia import ConfigurationError, Encyclopedia, UsageError
from encyclopedia.faces.diagram import diagram
from tests.encyclopedia.faces.cli.command import Command
from tests.graph_books import AGENTIC, PRIMER


@pytest.fixture
def command(tmp_path: Path) -> Command:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "primer.md").write_text(PRIMER, encoding="utf-8")
    shutil.copytree(AGENTIC, shelf / "agentic")
    made = Command(tmp_path)
    made.environ["ENCYCLOPEDIA_EMBEDDER_USE"] = "off"
    made.json("corpus", "add", "books", str(shelf), "--kind", "graph")
    return made


@pytest.fixture
def python(command: Command) -> Encyclopedia:
    return Encyclopedia(home=str(command.home), environ={"ENCYCLOPEDIA_EMBEDDER_USE": "off"})


@pytest.mark.spec("ENC-BOOKS-19")
async def test_the_verbs_from_python(python: Encyclopedia) -> None:
    async with python as e:
        books = await e.graph("list_books")
        assert (books["schema_version"], books["status"]) == (1, "success")
        assert [book["id"] for book in books["books"]] == ["agentic", "primer"]
        await e.graph("start_project", name="All", project_id="all")
        assert (await e.graph("build_project_kg", project_id="all"))["skipped"] is False
        found = await e.graph(
            "match_concepts", project_description="stop calling a service that keeps failing", project_id="all", limit=3
        )
        assert set(found["matched_concepts"][0]["members"]) == {"primer__circuit_breaker", "circuit_breaker_pattern"}
        around = await e.graph(
            "get_subgraph", concept_ids=[found["matched_concepts"][0]["id"]], consultation_id=found["consultation_id"]
        )
        assert {edge["type"] for edge in around["edges"]} >= {"requires"}
        passages = await e.graph("ask_book", question="what is a timeout", book_id="primer", corpus="books")
        assert passages["passages"][0]["lines"] == [10, 14]
        assert "primer.md" in passages["passages"][0]["path"]


@pytest.mark.spec("ENC-BOOKS-19")
async def test_what_cannot_be_asked_is_said(python: Encyclopedia) -> None:
    async with python as e:
        with pytest.raises(UsageError, match="unknown verb"):
            await e.graph("list_book")
        with pytest.raises(UsageError, match="no option 'hops'"):
            await e.graph("get_subgraph", concept_ids=["x"], hops=1)
        with pytest.raises(UsageError, match="needs question"):
            await e.graph("ask_book")
        with pytest.raises(ConfigurationError, match="unknown corpus"):
            await e.graph("list_books", corpus="book")
        nothing = await e.graph("match_concepts", project_description="xyzzy plugh")
        assert (nothing["code"], nothing["status"], nothing["matched_concepts"]) == (2, "error", [])


@pytest.mark.spec("ENC-BOOKS-20")
def test_the_command_from_books_to_a_built_project(command: Command) -> None:
    assert len(command.json("graph", "books")["books"]) == 2
    started = command.json(
        "graph", "project", "start", "All books", "--project", "all", "--book", "primer", "--book", "agentic"
    )
    assert started["triaged_book_ids"] == ["primer", "agentic"]
    built = command.json("graph", "project", "build", "all")
    assert built["pairs"]["reused"] == 0
    assert command.json("graph", "project", "build", "all")["skipped"]
    (project,) = command.json("graph", "project", "list")["projects"]
    assert project["built"]
    assert command.json("graph", "project", "show", "all")["declined"] == []
    found = command.json("graph", "match", "try", "a", "failed", "operation", "again", "--limit", "2", "--project", "all")
    assert found["matched_concepts"][0]["id"] == "primer__retry"
    asked = command.json("graph", "ask", "what", "conflicts", "with", "fail fast", "--concept", "Retry", "--limit", "1")
    assert asked["passages"][0]["section_id"] == "primer__stability_patterns_retry"
    out = command.json("graph", "export", "out")
    assert out["concepts"] == 148
    assert command.json("graph", "import", "out", "--name", "copy")["skipped"]  # the same ids are there already
    assert command.json("graph", "import", "--drop", "copy")["dropped"] == "copy"


@pytest.mark.spec("ENC-BOOKS-20")
def test_exit_codes_and_readable_forms(command: Command) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return command("graph", *arguments, "--text")

    assert "Resilience Primer" in run("books").stdout
    match = run("match", "idempotency")
    assert "primer__idempotency_key" in match.stdout
    assert run("match", "xyzzy").returncode == 2
    assert run("subgraph", "Rety").returncode == 1
    assert "did you mean Retry?" in run("subgraph", "Rety").stderr
    assert run("subgraph", "Retry", "--hops", "9").returncode == 64
    assert run("project", "build", "nope").returncode == 1
    assert "not found" in run("project", "build", "nope").stderr
    around = run("subgraph", "Retry", "--edges", "1", "--descriptions").stdout
    assert "0.70 Fail Fast —alternative to→ Retry [primer]" in around
    assert "Fail Fast is an alternative to Retry." in around
    assert "more left out" in around
    asked = run("ask", "what is a timeout").stdout
    assert "primer.md, lines 10 to 14" in asked
    shown = command("corpus", "show", "books", "--text").stdout
    assert "concepts       148" in shown


@pytest.mark.spec("ENC-BOOKS-21")
def test_a_picture_is_text_that_others_draw(command: Command) -> None:
    picture = command("graph", "subgraph", "Retry", "--hops", "1", "--floor", "0", "--format", "mermaid").stdout.splitlines()
    assert picture[0] == "graph LR"
    assert picture[1] == '  n1(["Retry"])'
    assert any("-->|uses 0.70|" in line for line in picture)
    assert any("---|conflicts with 0.70|" in line for line in picture)
    dot = command("graph", "subgraph", "Retry", "--format", "dot").stdout
    assert dot.startswith("digraph concepts {")
    assert 'label="uses 0.70"' in dot
    body = command.json("graph", "subgraph", "Retry", "--format", "dot", "--json")
    assert body["diagram"] == dot.rstrip("\n")


@pytest.mark.spec("ENC-BOOKS-21")
def test_names_cannot_break_out_of_a_picture() -> None:
    nodes = [
        {"id": "a", "name": 'x"] --> n9["evil\nline', "is_seed": True},
        {"id": "b", "name": 'back\\"slash', "is_seed": False},
    ]
    edges = [{"from": "a", "to": "b", "type": "component_of", "confidence": 0.5}]
    mermaid = diagram({"nodes": nodes, "edges": edges}, "mermaid").splitlines()
    assert len(mermaid) == 4
    assert mermaid[1] == '  n1(["x#quot;] --> n9[#quot;evil line"])'
    dot = diagram({"nodes": nodes, "edges": edges}, "dot").splitlines()
    assert dot[3] == '  n1 [label="x\\"] --> n9[\\"evil line", penwidth=2];'
    assert json.loads(dot[4].split("label=")[1].split("];")[0]) == 'back/"slash'


@pytest.mark.spec("ENC-BOOKS-17")
def test_the_books_answer_a_search_with_their_place(command: Command) -> None:
    body = command.json("search", "token by which a server recognises a request", "--corpus", "books")
    assert body["results"][0]["locator"] == {
        "corpus": "books",
        "path": "primer.md",
        "section": "Glossary",
        "lines": [10, 14],
    }
    scoped = command.json("search", "timeout", "--corpus", "books", "--tag", "primer")
    assert {row["locator"]["path"] for row in scoped["results"]} <= {"primer.md"}
