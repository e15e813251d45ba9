"""The benchmarks run, at a tiny size, and what they find is told whole. No time is compared with anything here."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import _collections, _peers, _rows, understanding
from benchmarks._bars import KEPT, MISSED, UNKNOWN, Bar, bars, judged
from benchmarks._report import Results, Section, page, unpacked
from benchmarks._rows import Absent, Row, growth, least, most, percentile

ROOT = Path(__file__).parents[2]
# Each with what must be in its rows; the others need a model or index all that is installed.
PARTS = ("catalog", "fuse", "lexical", "million", "overhead", "scale", "service", "startup", "understanding")
# Bars whose rows name a size that a quick run does not reach.
LARGE = ("100,000 passages", "1,000,000 passages", "32 clients")


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, str, str]:
    """The results, the page and the lines of a quick run of the parts; no peer of another interpreter takes part."""
    folder = tmp_path_factory.mktemp("results")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("BENCH_", "ENCYCLOPEDIA_"))}
    asked = [sys.executable, "-m", "benchmarks", *PARTS, "--quick", "--save", str(folder)]
    done = subprocess.run(asked, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode in {0, 1}, done.stderr
    return unpacked((folder / "results.json").read_text()), (folder / "RESULTS.md").read_text(), done.stdout


@pytest.mark.spec("ENC-BENCH-1")
def test_every_part_runs_and_names_its_figures(quick: tuple[Results, str, str]) -> None:
    results, _, told = quick
    assert [section.name for section in results.sections] == list(PARTS)
    assert [(section.name, section.failed) for section in results.sections if section.failed] == []
    for section in results.sections:
        names = [row.what for row in section.rows]
        assert names
        assert len(names) == len(set(names))
        assert all(math.isfinite(row.value) for row in section.rows)
        assert all(row.what in told for row in section.rows)


@pytest.mark.spec("ENC-BENCH-1")
def test_every_bar_is_proven_by_a_row_that_there_is(quick: tuple[Results, str, str]) -> None:
    results, _, _ = quick
    found = {(section.name, row.what) for section in results.sections for row in section.rows}
    absent = {section.name for section in results.sections for row in section.found if isinstance(row, Absent)}
    promised = [row for bar in bars() for row in bar.rows if row[0] in PARTS and not any(size in row[1] for size in LARGE)]
    lacking = [(module, name) for module, name in promised if (module, name) not in found]
    assert [name for name in lacking if name[0] not in absent] == []
    assert all("ranx" in name for _, name in lacking)
    assert set(command.names()) >= {module for bar in bars() for module, _ in bar.rows}


@pytest.mark.spec("ENC-BENCH-2")
def test_the_page_names_every_bar_the_machine_the_versions_and_the_load(quick: tuple[Results, str, str]) -> None:
    results, told, _ = quick
    table = told.split("## The bars")[1].split("## ")[0]
    for verdict in results.verdicts():
        row = next(line for line in table.splitlines() if line.startswith(f"| {verdict.bar.what} |"))
        assert row.rstrip(" |").endswith(verdict.state)
        if verdict.state != KEPT:
            assert f"**{verdict.bar.what}** ({verdict.state}). " in table
    for name, value in (*results.machine.items(), *results.versions.items()):
        assert f"| {name} | {value or 'not installed'} |" in told
    for section in results.sections:
        assert f"## {section.name}" in told
        assert len(section.load) == 6


@pytest.mark.spec("ENC-BENCH-2")
def test_a_peer_that_is_not_there_is_named(quick: tuple[Results, str, str]) -> None:
    results, told, lines = quick
    missing = {row for section in results.sections for row in section.found if isinstance(row, Absent)}
    assert missing
    for row in missing:
        assert f"Absent: {row.peer}" in told
        assert f"{row.peer}: absent" in lines


def section(name: str, *rows: Row | Absent, failed: str = "") -> Section:
    return Section(name, "What it is.", "2026-01-02 03:04 UTC", "abc", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), 7.0, rows, failed)


@pytest.mark.spec("ENC-BENCH-2")
def test_a_bar_is_kept_missed_or_not_measured() -> None:
    promised = [Bar("one", (("m", "a"), ("m", "b"))), Bar("two", (("m", "c"),)), Bar("three", (("m", "a"), ("n", "d")))]
    rows = {"m": [most("a", 1, "s", 2), least("b", 3, "s", 2), most("c", 3, "s", 2)]}
    assert [each.state for each in judged(rows, promised)] == [KEPT, MISSED, UNKNOWN]
    assert [each.state for each in judged({"m": []}, promised)] == [UNKNOWN] * 3


@pytest.mark.spec("ENC-BENCH-2")
def test_what_is_not_kept_or_broke_off_is_said_and_is_exit_1() -> None:
    bar = bars()[0]
    module, name = bar.rows[0]
    missed = Results({"cores": 2}, {"x": "1"}, (section(module, most(name, 9, "ms", 2)),))
    assert f"| {bar.what} | 9 ms | <= 2 ms | {MISSED} |" in page(missed)
    assert f"| {name} | 9 ms | <= 2 ms | **{MISSED}** |" in page(missed)
    assert not missed.good()
    broken = Results({}, {}, (section("fuse", failed="ValueError: no"),))
    assert "Broke off: ValueError: no" in page(broken)
    assert not broken.good()
    assert Results({}, {}, (section(module, most(name, 1, "ms", 2)),)).good()


@pytest.mark.spec("ENC-BENCH-3")
def test_earlier_figures_of_this_machine_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = Results({"cores": 2}, {"x": "1", "y": "2"}, (section("fuse", Row("a", 1.0)), section("scale", Absent("p", "q"))))
    command.keep(str(tmp_path), first)
    assert unpacked((tmp_path / "results.json").read_text()) == first
    now = command.joined(str(tmp_path), Results({"cores": 2}, {"x": "1", "y": ""}, ()))
    assert now == first
    assert now.but(section("fuse", Row("a", 2.0))).sections[0].rows == [Row("a", 2.0)]
    for other in (Results({"cores": 4}, {"x": "1", "y": "2"}, ()), Results({"cores": 2}, {"x": "3", "y": "2"}, ())):
        assert command.joined(str(tmp_path), other) == other
        assert "written anew" in capsys.readouterr().err
    assert command.joined(str(tmp_path / "none"), first) == first


@pytest.mark.spec("ENC-BENCH-3")
def test_an_unknown_name_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["nonsense"]) == 64
    assert "there are cache, " in capsys.readouterr().err
    assert command.main(["--list"]) == 0
    told = capsys.readouterr().out
    assert all(f"{name:13} " in told for name in command.names())
    assert all(f"bar: {bar.what}\n" in told for bar in bars())


def test_a_peer_that_fails_is_not_taken_for_one_that_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _peers.interpreter("fts5_index") == sys.executable
    with pytest.raises(_peers.PeerError, match="fts5_index"):
        _peers.ask("fts5_index", {"step": "ask", "folder": "/nowhere", "questions": "/nowhere"})
    monkeypatch.setitem(_peers.NEEDS, "fts5_index", ("no-such-thing",))
    _peers.interpreter.cache_clear()
    assert _peers.ask("fts5_index", {}) is None
    assert _peers.absent("fts5_index").peer == "no-such-thing"
    _peers.interpreter.cache_clear()


def test_growth_is_an_exponent() -> None:
    assert growth("x", (10, 1000), (2.0, 200.0)).value == pytest.approx(1)
    assert growth("x", (10, 1000), (2.0, 2.0), 0.5).kept
    assert not growth("x", (10, 1000), (2.0, 20000.0), 1.5).kept
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    with pytest.raises(ValueError, match="without a name"):
        list(_rows.named("m", ("-", 1.0)))


def test_a_collection_is_read_and_scored(tmp_path: Path) -> None:
    documents = [{"_id": "d1", "title": "T", "text": "one"}, {"_id": "d2", "text": "two"}, {"_id": "d3", "text": "three"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "first"}\n{"_id": "q2", "text": "second"}\n')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    given = _collections.Collection(tmp_path)
    found = _collections.scores(given.questions, given.judged, lambda text, _: ["d3", "d1"] if text == "first" else ["d2"])
    assert found["MRR@10"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["Recall@100"] == 1
    assert found["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1) / 2)
    given.cut(1)
    assert given.documents == [("d1", "T", "one")]


def test_the_labels_are_types_and_words_of_their_questions() -> None:
    types, words = understanding.table("types.txt"), understanding.table("words.txt")
    assert {label for _, label in types} == {"library_docs", "general_search", "code_context", "repository"}
    assert len(types) > 100
    for rows in (types, words):
        assert len({text for text, _ in rows}) == len(rows)
    for text, label in words:
        assert all(wrong in text.split() for wrong, _ in understanding.changes(label))
