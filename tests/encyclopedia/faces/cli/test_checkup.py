from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from encyclopedia.faces.cli import completers, first_run, workplace
from encyclopedia.faces.cli.checkup import checkup
from encyclopedia.faces.cli.collections import corpus_row, standing
from encyclopedia.faces.cli.sources import standing as source_standing
from encyclopedia.model.corpus import Corpus
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import Label
from encyclopedia.model.query import QueryType
from encyclopedia.wiring.kinds import corpus_kind
from encyclopedia.wiring.plugins import entry_points

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("ENCYCLOPEDIA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ENCYCLOPEDIA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.mark.spec("ENC-CLI-18")
def test_every_check_says_what_how_and_what_to_do() -> None:
    rows = checkup()
    assert all(set(row) == {"check", "status", "detail", "hint"} for row in rows)
    assert all(row["detail"] for row in rows)
    assert all(row["hint"] for row in rows if row["status"] == "broken")
    assert {"python", "home", "terminal", "settings", "source packages", "store circuit"} <= {row["check"] for row in rows}


@pytest.mark.spec("ENC-CLI-18")
@pytest.mark.parametrize(("mode", "status"), [(0o700, "ok"), (0o750, "warn"), (0o755, "warn"), (0o701, "warn")])
def test_a_folder_that_others_can_enter_is_told(home: Path, mode: int, status: str) -> None:
    home.mkdir()
    home.chmod(mode)
    row = next(row for row in checkup() if row["check"] == "home")
    assert (row["status"], f"{mode:04o}" in row["detail"]) == (status, True)


@pytest.mark.spec("ENC-CLI-18")
def test_a_switch_with_an_impossible_value_is_broken_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCYCLOPEDIA_ENABLE_PACKAGES", "maybe")
    row = next(row for row in checkup() if row["check"] == "settings")
    assert row["status"] == "broken"
    assert "maybe" in row["detail"]


CORPUS = Corpus("notes", "/nowhere", "documents", "/nowhere/index", {QueryType.LIBRARY_DOCS: 0.4}, ("own",), Label.PERSONAL)


@pytest.mark.spec("ENC-CLI-16")
def test_the_json_form_of_a_registration() -> None:
    assert corpus_row(CORPUS) == {
        "name": "notes",
        "kind": "documents",
        "path": "/nowhere",
        "serves": {"library_docs": 0.4},
        "tags": ["own"],
        "private": True,
        "label": "personal",
    }


@pytest.mark.spec("ENC-CLI-16")
def test_a_corpus_whose_folder_is_gone_has_a_problem() -> None:
    row = standing(CORPUS, entry_points())
    assert row["documents"] == 0
    assert "/nowhere" in row["problems"][0]


@pytest.mark.spec("ENC-CLI-16")
@pytest.mark.parametrize("groups", [{}, {"encyclopedia.corpora": {"documents": "no_such_module_at_all:KIND"}}])
def test_a_kind_that_cannot_be_loaded_is_a_problem(groups: dict[str, dict[str, str]]) -> None:
    row = standing(CORPUS, groups)
    assert row["problems"]
    assert row["documents"] is None
    with pytest.raises(ConfigurationError):
        corpus_kind(groups, "documents")


@pytest.mark.spec("ENC-CLI-17")
@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"reason": None, "breaker": "healthy", "health": None}, "on"),
        (
            {"reason": None, "breaker": "healthy", "health": "the last call failed 2 s ago: x"},
            "on; the last call failed 2 s ago: x",
        ),
        ({"reason": "switched off", "breaker": "healthy", "last_error": None}, "off"),
        ({"reason": "EXA_API_KEY not found", "breaker": "healthy", "last_error": None}, "off: EXA_API_KEY not found"),
        ({"reason": None, "breaker": "open", "health": "left alone until 12:31"}, "left alone until 12:31"),
    ],
)
def test_how_a_source_stands_in_a_few_words(row: dict[str, str | None], words: str) -> None:
    assert source_standing(row) == words


@pytest.mark.spec("ENC-CLI-23")
def test_names_that_the_shell_completes() -> None:
    assert set(completers.types()) == set(QueryType)
    assert "packages" in completers.sources()
    assert "searxng" not in completers.sources()
    assert "manpages,packages" in completers.sources("manpages,p")
    assert completers.corpora() == []
    assert "packages" in completers.indexes()
    assert set(completers.kinds()) >= {"documents", "inventory", "docset", "devdocs", "llms"}


@pytest.mark.spec("ENC-CLI-11")
def test_a_first_run_is_one_without_a_data_folder(home: Path) -> None:
    assert first_run.fresh()
    home.mkdir()
    assert not first_run.fresh()


@pytest.mark.spec("ENC-CLI-11")
def test_an_index_is_to_be_finished_where_that_reduced_the_answer_not_where_it_is_only_noted() -> None:
    outcomes = [{"source": name, "reason": ""} for name in ("notes", "packages", "web")]
    note = "packages: 3 of 9 are indexed so far; `encyclopedia corpus index packages` completes it"
    assert first_run.unfinished({"outcomes": outcomes}) == {}
    assert first_run.unfinished({"outcomes": outcomes, "notes": [note]}) == {}
    outcomes[0]["reason"] = reason = "40 files changed: run `encyclopedia corpus index notes`"
    assert first_run.unfinished({"outcomes": outcomes, "notes": [note]}) == {"notes": reason}


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("28 of 234 installed packages are indexed so far; …", "the other 206 packages"),
        ("not indexed yet", "the rest of packages"),
    ],
)
def test_what_is_still_to_be_read_in_words(reason: str, words: str) -> None:
    assert first_run.rest("packages", reason) == words


@pytest.mark.parametrize("level", ["debug", "info"])
def test_settings_come_from_the_data_folder(home: Path, level: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'log_level = "{level}"\n')
    assert workplace.home() == str(home)
    assert workplace.loaded().settings.log_level == level
