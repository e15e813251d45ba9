"""Curated tables as a corpus: their rows are hits, their edits are noticed, and what is wrong with them is told."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import date

import pytest

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context
from encyclopedia_adapters.local.grounding import KIND
from encyclopedia_adapters.local.grounding.cadence import days_of, oddities, overdue
from tests.adapters.local.grounding.corpus import DESIGN, ENGINES, changed, manifest, write
from tests.adapters.local.shelf import NoResources, quiet


class Tables:
    """A registered corpus in a temporary folder."""

    def __init__(self, folder, path):
        self.path = path
        self.corpus = Corpus("tables", str(path), "grounding", str(folder / "index"), {QueryType.LIBRARY_DOCS: 0.4})
        self.source = KIND.card(self.corpus).make(Context("tables", str(folder), "agent", 5.0, NoResources(), lambda _: ""))

    def index(self, **more):
        return KIND.index(self.corpus, quiet, **more)

    def report(self):
        return KIND.report(self.corpus)

    def ask(self, text, **more):
        return asyncio.run(self.source.search(Request(text, QueryType.LIBRARY_DOCS, 5, 5.0, **more)))

    def titles(self, text, **more):
        return [hit.title for hit in self.ask(text, **more).hits]


@pytest.fixture
def tables(tmp_path):
    made = Tables(tmp_path, write(tmp_path / "corpus"))
    made.index()
    return made


@pytest.mark.spec("ENC-GROUND-14")
def test_a_row_is_a_hit_with_its_name_its_columns_and_its_line(tables):
    (hit,) = tables.ask("embedded transactions").hits[:1]
    assert hit.title == "SQLite"
    assert hit.content == "Name: SQLite\nKeywords: embedded database transactions single writer\nLevel: MEDIUM"
    assert (hit.locator.corpus, hit.locator.path, hit.locator.section, hit.locator.lines) == (
        "tables",
        "engines.csv",
        "engine",
        (3, 3),
    )
    assert (
        len({hit.page for hit in tables.ask("database server cache").hits}) == len(tables.ask("database server cache").hits) > 1
    )


@pytest.mark.spec("ENC-GROUND-14")
def test_domains_and_stacks_are_scopes(tables):
    assert tables.titles("session cache", tags=("need",)) == ["Session cache"]
    assert tables.titles("memory cache", tags=("engine",)) == ["Redis"]
    assert tables.titles("close every connection", tags=("stack/python",)) == ["Close every connection"]
    assert tables.titles("close every connection", tags=("stack",)) == ["Close every connection"]
    assert tables.titles("close every connection", tags=("engine",)) == []


@pytest.mark.spec("ENC-GROUND-14")
def test_rows_that_a_domain_filters_out_are_no_hits_and_names_tell_rows_apart(tmp_path):
    made = changed("domains.engine.filters", {"Level": "high"})
    made["data_dir"] = "data"
    made["domains"]["engine"]["output_cols"] = ["Level", "Name"]
    del made["reasoning"]["name_columns"]
    write(tmp_path / "corpus" / "data", made)
    os.rename(tmp_path / "corpus" / "data" / "manifest.json", tmp_path / "corpus" / "manifest.json")
    tables = Tables(tmp_path, tmp_path / "corpus" / "manifest.json")
    tables.index()
    assert tables.titles("redis server memory") == ["high > Redis"]
    assert tables.ask("redis server memory").hits[0].locator.path == "data/engines.csv"
    assert "SQLite" not in " ".join(tables.titles("sqlite embedded"))


@pytest.mark.spec("ENC-GROUND-14")
def test_an_edited_table_and_an_edited_manifest_are_never_served_as_they_were(tables):
    (tables.path / "engines.csv").write_text(ENGINES.replace("SQLite,embedded", "DuckDB,embedded"))
    assert tables.titles("embedded transactions")[0] == "DuckDB"
    made = changed("domains.engine.output_cols", ["Name", "Level"])
    (tables.path / "manifest.json").write_text(json.dumps(made))
    assert tables.ask("duckdb").hits[0].content == "Name: DuckDB\nLevel: MEDIUM"
    (tables.path / "engines.csv").unlink()
    assert "DuckDB" not in tables.titles("embedded transactions duckdb")
    assert any("engines.csv is not there" in problem for problem in tables.report().problems)


@pytest.mark.spec("ENC-GROUND-14")
def test_a_manifest_that_was_broken_refuses_instead_of_serving_what_was(tables):
    (tables.path / "manifest.json").write_text(json.dumps(manifest(owner="")))
    with pytest.raises(Refused, match="owner must be a text"):
        tables.ask("embedded transactions")


@pytest.mark.spec("ENC-GROUND-14")
def test_the_whole_published_corpus_is_searched_and_stays_untouched(tmp_path):
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in DESIGN.rglob("*") if path.is_file()}
    tables = Tables(tmp_path, DESIGN)
    done = tables.index()
    assert (done.added, done.passages) == (17, 926)
    hit = tables.ask("glassmorphism", tags=("style",)).hits[0]
    assert (hit.title, hit.locator.lines, hit.locator.path) == ("Glassmorphism", (4, 4), "styles.csv")
    assert tables.index().unchanged == 17
    KIND.search(str(DESIGN), "fintech")
    KIND.ground(str(DESIGN), "fintech")
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in DESIGN.rglob("*") if path.is_file()} == before


@pytest.mark.spec("ENC-GROUND-15")
def test_the_report_holds_the_verdicts_of_the_validator(tmp_path):
    tables = Tables(tmp_path, write(tmp_path / "corpus", engines=ENGINES + "short\n", **{"stacks/python": b"\0"}))
    (tables.path / "own.py").write_text("def evaluate(rules, query, context): ...\n")
    (tables.path / "manifest.json").write_text(json.dumps(changed("reasoning.rules_module", "own.py")))
    done, code = tables.index(), ("own.py", "code that comes with the tables: `ground` runs it, nothing else does")
    report = tables.report()
    assert code in done.skipped
    assert code in report.skipped
    assert report.problems == ("stacks/python.csv: it is not text",)
    assert ("engines.csv", "line 6: a row of 1 cells, 2 missing at its end count as empty") in report.skipped
    assert (report.documents, report.passages) == (2, 8)
    assert dict(report.tags) == {"engine": 1, "need": 1}


@pytest.mark.spec("ENC-GROUND-15")
def test_an_overdue_refresh_is_a_problem_and_a_note_on_every_choice(tmp_path):
    made = changed("upstream.last_checked", "2001-01-31") | {"refresh_cadence": "quarterly"}
    tables = Tables(tmp_path, write(tmp_path / "corpus", made))
    tables.index()
    (told,) = tables.report().problems
    assert told.startswith("stale: example/tables was last checked on 2001-01-31, ")
    assert told.endswith("and the refresh cadence is quarterly")
    assert KIND.search(str(tables.path), "server")["notes"] == [told]
    assert KIND.ground(str(tables.path), "server")["notes"] == [told]
    assert told in KIND.validate(str(tables.path))["warnings"]


@pytest.mark.spec("ENC-GROUND-15")
@pytest.mark.parametrize(
    ("cadence", "days"),
    [("quarterly", 92), ("Quarterly", 92), ("half yearly", 184), ("every 30 days", 30), ("90d", 90), ("2 weeks", 14), ("never", 0),
     ("now and then", None), ("every full moon", None)],
)  # fmt: skip
def test_cadences_are_words_or_numbers(cadence, days):
    assert days_of(cadence) == days


@pytest.mark.spec("ENC-GROUND-15")
@pytest.mark.parametrize(
    ("today", "late"), [("2026-05-03", False), ("2026-05-04", True), ("2026-01-01", False), ("2030-01-01", True)]
)
def test_a_refresh_is_overdue_from_the_day_after(today, late):
    assert bool(overdue(manifest(refresh_cadence="quarterly"), date.fromisoformat(today))) == late
    assert overdue(manifest(), date.fromisoformat(today)) == ""


@pytest.mark.spec("ENC-GROUND-15")
def test_what_makes_the_next_look_unknowable_is_told():
    (told,) = oddities(manifest(refresh_cadence="sometimes"), date(2026, 3, 1))
    assert "refresh_cadence 'sometimes' is not known" in told
    (told,) = oddities(manifest(), date(2026, 1, 1))
    assert "still to come" in told
    assert oddities(manifest(), date(2026, 1, 30)) == ()


@pytest.mark.spec("ENC-GROUND-15")
def test_what_is_no_corpus_of_this_kind_says_what_is_wrong(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match=r"manifest\.json is not there"):
        Tables(tmp_path, tmp_path / "empty").index()
    write(tmp_path / "bad", manifest(owner=" "))
    with pytest.raises(ConfigurationError, match="owner must be a text"):
        Tables(tmp_path, tmp_path / "bad").index()
    assert any("owner must be" in problem for problem in Tables(tmp_path, tmp_path / "bad").report().problems)
