"""The command and the function ``load``: which catalog is meant, what is printed, which code is returned."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from encyclopedia import Encyclopedia
from encyclopedia.model.errors import ConfigurationError, UsageError
from tests.encyclopedia.faces.cli.command import Command

PATTERNS = Path(__file__).parents[2] / "fixtures" / "kg-java-patterns"
FIELDS = [
    "rank",
    "id",
    "relevance_score",
    "slug",
    "type",
    "status",
    "score",
    "claim",
    "out_links",
    "in_links",
    "tags",
    "sources",
    "aliases",
    "path",
    "via",
    "body",
]


def small(folder):
    """A catalog root with two pages and their catalog."""
    for name, text in (("arcan", "The runtime of [[lago]]."), ("lago", "The journal.")):
        page = folder / "research" / "entities" / "tool" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    catalog = folder / "docs" / "knowledge-index.md"
    catalog.parent.mkdir(exist_ok=True)
    catalog.write_text(
        "---\ngenerated: 2026-01-01T00:00:00+00:00\nschema: dense-catalog-v2\n---\n\n"
        "#### lago [tool·—]\nThe journal.\n← arcan\npath: tool/lago.md\n\n"
        "#### arcan [tool·—]\nThe runtime of lago.\n→ lago\npath: tool/arcan.md\n"
    )
    return folder


@pytest.fixture
def command(tmp_path):
    return Command(tmp_path)


@pytest.mark.spec("ENC-LOAD-1")
def test_the_body_has_the_fields_of_the_first_loader(command) -> None:
    root = small(command.folder / "kb")
    body = command.json("load", "runtime", "--root", str(root), "--expand", "1", "--n", "1")
    assert list(body)[:2] == ["schema_version", "status"]
    assert (body["topic"], body["catalog_generated"], body["stale"]) == ("runtime", "2026-01-01T00:00:00+00:00", [])
    first, second = body["matches"]
    assert list(first) == FIELDS
    assert (first["slug"], first["path"], first["via"], first["body"]) == (
        "arcan",
        "research/entities/tool/arcan.md",
        None,
        "The runtime of [[lago]].",
    )
    assert (second["slug"], second["via"], second["rank"]) == ("lago", "arcan", 2)
    assert body["context"] == {"bytes": 36, "tokens": 9}


@pytest.mark.spec("ENC-LOAD-2")
def test_the_catalog_is_the_only_corpus_else_the_working_folder_else_must_be_named(command) -> None:
    shutil.copytree(small(command.folder / "kb"), command.folder / "other")
    error = command.json("load", "runtime", code=1)
    assert "no corpus is of kind catalog" in error["message"]
    here = Command(small(command.folder))
    assert here.json("load", "runtime")["corpus"] == command.folder.name
    command.json("corpus", "add", "mine", str(command.folder / "kb"), "--kind", "catalog")
    assert here.json("load", "runtime")["corpus"] == "mine"
    assert here.json("load", "runtime", "--root", "kb")["corpus"] == "mine"
    command.json("corpus", "add", "yours", str(command.folder / "other"), "--kind", "catalog")
    assert here.json("load", "runtime", "--corpus", "yours")["corpus"] == "yours"
    assert here.json("load", "runtime")["corpus"] == command.folder.name
    shutil.rmtree(command.folder / "docs")
    assert "name one of them with --corpus: mine, yours" in command.json("load", "runtime", code=1)["hint"]
    assert command.json("load", "x", "--corpus", "mine", "--root", "kb", code=64)["code"] == 64


@pytest.mark.spec("ENC-LOAD-3")
def test_codes_of_nothing_found_unknown_names_and_wrong_usage(command) -> None:
    root = str(small(command.folder / "kb"))
    body = command.json("load", "zookeeper", "--root", root, code=2)
    assert (body["status"], body["matches"], body["topic"]) == ("error", [], "zookeeper")
    assert "--terms" in body["hint"]
    assert "tool" in command.json("load", "x", "--type", "tol", "--root", root, code=1)["hint"]
    assert command.json("load", "x", "--root", str(command.folder / "none"), code=1)["code"] == 1
    for wrong in (["--n", "0"], ["--scoring", "clasic"], ["--expand", "-1"], ["--n", "100000"]):
        assert command.json("load", "x", "--root", root, *wrong, code=64)["code"] == 64
    assert command.json("load", " ", "--root", root, code=64)["code"] == 64


@pytest.mark.spec("ENC-LOAD-4")
def test_the_frame_on_a_terminal(command) -> None:
    root = small(command.folder / "kb")
    code, seen = command.terminal(
        "load",
        "runtime",
        "--root",
        str(root),
        "--n",
        "1",
        "--expand",
        "1",
        "--explain",
        "--no-progress",
        "--color",
        "never",
        columns=60,
    )
    assert code == 0
    lines = seen.split("\n")
    assert lines[0] == "═══ KG LOAD: runtime " + "═" * 39
    assert lines[1] == "Loaded 2/2 entities from docs/knowledge-index.md  (1 matched + 1 via graph expansion)"
    assert lines[2] == "(catalog generated 2026-01-01T00:00:00+00:00)"
    assert lines[4] == "╭─ #1 · score 1.000 ──── arcan [tool·—] " + "─" * 19 + "╮"
    assert lines[5] == "│ Source: research/entities/tool/arcan.md" + " " * 18 + "│"
    assert lines[6].startswith("│ explain: card(+0.250) page(+0.750) = 1.000")
    assert lines[7] == "│ " + "─" * 56 + " │"
    assert lines[8].startswith("│ The runtime of [[lago]].")
    assert lines[9] == "╰" + "─" * 58 + "╯"
    assert lines[11].startswith("╭─ #2 · score 0 ──── lago [tool·—] ↳ via arcan ─")
    assert lines[-2] == "═══ Total context loaded: 0.0 KB (~9 tokens) " + "═" * 15


@pytest.mark.spec("ENC-LOAD-4")
def test_text_that_acts_on_a_terminal_or_is_too_wide_for_a_frame(command) -> None:
    root = small(command.folder / "kb")
    wide = "wide " * 30
    (root / "research" / "entities" / "tool" / "arcan.md").write_text(f"runtime \x1b]0;title\x07\n{wide}\n\u65e5\u672c")
    code, seen = command.terminal(
        "load", "runtime", "--root", str(root), "--n", "1", "--no-progress", "--color", "never", columns=60
    )
    assert code == 0
    assert "\x1b" not in seen
    assert f"\u2502 {wide.strip()}" in seen.replace("\n", "").replace(" \n", "")
    assert f"│ 日本{' ' * 52} │" in seen


@pytest.mark.spec("ENC-LOAD-4")
def test_classic_scores_and_their_trace_are_shown_as_whole_numbers(command) -> None:
    root = small(command.folder / "kb")
    done = command("load", "runtime", "--root", str(root), "--scoring", "classic", "--explain", "--text", "--n", "1")
    assert "#1 · score 5 ────" in done.stdout
    assert "explain: claim~runtime(+3) = 3 catalog" in done.stdout
    assert "+2 tier-2 body grep" in done.stdout
    short = command("load", "runtime", "--root", str(root), "--no-bodies", "--text", "--n", "1")
    assert "[[lago]]" not in short.stdout
    assert "│ The runtime of lago." in short.stdout
    assert "│ → lago" in short.stdout


@pytest.mark.spec("ENC-LOAD-5")
def test_what_is_stale_is_told_beside_the_answer(command) -> None:
    root = small(command.folder / "kb")
    os.utime(root / "docs" / "knowledge-index.md", (1, 1))
    done = command("load", "runtime", "--root", str(root), "--text")
    assert done.returncode == 0
    assert "docs/knowledge-index.md is stale: the catalog is " in done.stderr
    assert "corpus index" in done.stderr
    assert command.json("load", "runtime", "--root", str(root))["stale"]


@pytest.mark.spec("ENC-LOAD-6")
def test_without_a_topic_the_catalog_is_summed_up(command) -> None:
    body = command.json("load", "--root", str(PATTERNS))
    assert (body["entities"], body["types"]["behavioral"], body["hubs"][0]["slug"]) == (187, 41, "strategy")
    told = command("load", "--root", str(PATTERNS), "--text").stdout
    assert "strategy (29), observer (28)" in told
    assert "behavioral 41, structural 35" in told


@pytest.mark.spec("ENC-LOAD-7")
async def test_the_python_face_gives_the_body_of_the_command(command) -> None:
    root = small(command.folder / "kb")
    async with Encyclopedia(home=str(command.home), environ={}) as encyclopedia:
        body = await encyclopedia.load("runtime", root=str(root), n=1, terms="journal", explain=True)
        told = command.json("load", "runtime", "--root", str(root), "--n", "1", "--terms", "journal", "--explain")
        assert json.loads(json.dumps(body)) == told
        assert (await encyclopedia.load(root=str(root)))["entities"] == 2
        assert (await encyclopedia.load("x" * 100_000, root=str(root), scoring="classic"))["notes"]
        with pytest.raises(UsageError, match="no option 'exlpain'"):
            await encyclopedia.load("x", root=str(root), exlpain=True)
        with pytest.raises(UsageError, match="scoring"):
            await encyclopedia.load("x", root=str(root), scoring="best")
        with pytest.raises(ConfigurationError, match="no folder"):
            await encyclopedia.load("x", root=str(root / "none"))


@pytest.mark.spec("ENC-LOAD-2")
def test_a_registered_catalog_is_a_source_of_a_search_and_is_checked(command) -> None:
    root = small(command.folder / "kb")
    command.json("corpus", "add", "kb", str(root), "--kind", "catalog", "--set", "entities=research/entities")
    (row,) = command.json("search", "runtime journal", "--corpus", "kb", "--limit", "1")["results"]
    assert row["locator"]["path"].startswith("research/entities/tool/")
    assert command.json("corpus", "check", "kb")["status"] == "success"
    (root / "research" / "entities" / "tool" / "lago.md").unlink()
    assert "missing" in str(command.json("corpus", "check", "kb", code=1))
    assert command.json("corpus", "index", "kb")["indexed"][0]["removed"] == 1
    assert "lago [" not in (root / "docs" / "knowledge-index.md").read_text()
