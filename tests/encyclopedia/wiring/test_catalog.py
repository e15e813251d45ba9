from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card
from encyclopedia.wiring.cards import as_card
from encyclopedia.wiring.catalog import Catalog, catalog
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.settings import load
from encyclopedia_adapters.generic.fixed import Fixed

TABLE = 'kind = "json"\nserves = { general_search = 0.3 }\nurl = "https://a.example/?q={query}"\nresults = "hits"\nfields = { title = "t" }\n'


def made(home: Path, file: str = "", environ: dict[str, str] | None = None, *objects: object) -> Catalog:
    (home / "config.toml").write_text(file)
    loaded = load(str(home), environment(str(home), environ or {}, str(home)))
    return catalog(loaded, entry_points(), objects)


@pytest.mark.spec("ENC-PLUGIN-2")
def test_built_in_sources_stand_as_their_cards_say(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert {"packages", "manpages", "wikipedia", "searxng"} <= set(found)
    packages, searxng = found["packages"].candidate, found["searxng"].candidate
    assert (packages.missing, packages.timeout, dict(packages.serves)[QueryType.LIBRARY_DOCS]) == ("", 5.0, 0.4)
    assert (searxng.missing, searxng.optional) == ("SEARXNG_URL is not set", True)
    assert "SEARXNG_URL" in found["searxng"].needs


def test_a_source_is_on_when_what_it_needs_is_there(tmp_path: Path) -> None:
    assert made(tmp_path, "", {"SEARXNG_URL": "http://127.0.0.1:1"})["searxng"].candidate.missing == ""
    assert made(tmp_path, '[sources.searxng]\nbase_url = "http://127.0.0.1:1"')["searxng"].candidate.missing == ""


@pytest.mark.parametrize(
    ("file", "environ"),
    [("[sources.wikipedia]\nenabled = false", {}), ("", {"ENCYCLOPEDIA_ENABLE_WIKIPEDIA": "0"}),
     ("[sources.wikipedia]\nenabled = true", {"ENCYCLOPEDIA_ENABLE_WIKIPEDIA": "off"})],
)  # fmt: skip
def test_what_is_switched_off_is_an_ordinary_choice(tmp_path: Path, file: str, environ: dict[str, str]) -> None:
    found = made(tmp_path, file, environ)["wikipedia"].candidate
    assert (found.missing, found.optional) == ("switched off", True)
    assert found.hint == "set ENCYCLOPEDIA_ENABLE_WIKIPEDIA=1 to switch it on"


def test_what_is_switched_on_and_cannot_be_asked_degrades(tmp_path: Path) -> None:
    found = made(tmp_path, "", {"ENCYCLOPEDIA_ENABLE_SEARXNG": "1"})["searxng"].candidate
    assert (found.missing, found.optional) == ("SEARXNG_URL is not set", False)


def test_a_table_gives_time_weight_and_address(tmp_path: Path) -> None:
    found = made(tmp_path, '[sources.wikipedia]\ntimeout = 2\nserves = { library_docs = 0.1 }\nbase_url = "http://127.0.0.1:1"')
    entry = found["wikipedia"]
    assert (entry.candidate.timeout, dict(entry.candidate.serves)) == (2.0, {QueryType.LIBRARY_DOCS: 0.1})
    assert entry.options["base_url"] == "http://127.0.0.1:1"


def test_a_described_source_is_one_of_the_catalog(tmp_path: Path) -> None:
    found = made(tmp_path, f"[sources.mine]\n{TABLE}")["mine"].candidate
    assert (found.name, found.missing, dict(found.serves)) == ("mine", "", {QueryType.GENERAL_SEARCH: 0.3})


@pytest.mark.spec("ENC-SETTINGS-2")
@pytest.mark.parametrize(
    ("file", "environ", "message", "hint"),
    [
        ("[sources.wikipdia]\ntimeout = 1", {}, "unknown source 'wikipdia'", "did you mean wikipedia?"),
        ("[sources.wikipedia]\ntimeot = 1", {}, "unknown setting sources.wikipedia.timeot", "did you mean timeout?"),
        ("[sources.wikipedia]\ntimeout = 0", {}, "sources.wikipedia.timeout cannot be 0", "seconds"),
        ('[sources.wikipedia]\ntimeout = "x"', {}, "sources.wikipedia.timeout cannot be 'x'", "seconds"),
        ("[sources.wikipedia]\nserves = 3", {}, "sources.wikipedia.serves must be a table", "library_docs"),
        ("[sources.wikipedia]\nserves = { docs = 0.1 }", {}, "unknown query type 'docs'", "library_docs"),
        ('[sources.wikipedia]\nenabled = "maybe"', {}, "sources.wikipedia.enabled cannot be 'maybe'", "1 or 0"),
        ("", {"ENCYCLOPEDIA_ENABLE_WIKIPEDIA": "x"}, "ENCYCLOPEDIA_ENABLE_WIKIPEDIA cannot be 'x'", "1 or 0"),
        ("", {"ENCYCLOPEDIA_ENABLE_WIKIPEDI": "1"}, "unknown setting ENCYCLOPEDIA_ENABLE_WIKIPEDI", "ENCYCLOPEDIA_ENABLE_WIKIPEDIA"),
        ('[sources.wikipedia]\nkind = "json"', {}, "wikipedia is a built-in source", "another name"),
        ('[sources.mine]\nkind = "jsn"', {}, "unknown kind 'jsn' of source mine", "did you mean json?"),
        ('[sources."../x"]\nkind = "json"', {}, "'../x' cannot be a name", "letters"),
        ('[corpora.packages]\npath = "/tmp"', {}, "corpus packages has the name of a source", "rename"),
        ('[corpora.notes]\npath = "/tmp"\nkind = "document"', {}, "unknown kind 'document' of corpus notes", "did you mean documents?"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path: Path, file: str, environ: dict[str, str], message: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as failed:
        made(tmp_path, file, environ)
    assert message in failed.value.message
    assert hint in failed.value.hint


def test_sources_of_the_product_that_are_not_installed_may_be_switched(tmp_path: Path) -> None:
    assert made(tmp_path, "", {"ENCYCLOPEDIA_ENABLE_KAGI": "0"})


@pytest.mark.spec("ENC-PYTHON-3")
def test_an_object_wins_over_a_built_in_source_of_its_name(tmp_path: Path) -> None:
    fixed = Fixed("wikipedia")
    card = made(tmp_path, "", {}, fixed)["wikipedia"].card
    assert card.make is not None
    assert card.make(None) is fixed  # it needs no context


def test_a_card_is_itself_and_other_things_are_refused() -> None:
    card = Card("x", {})
    assert as_card(card) is card
    for thing in (object(), "packages", Fixed):
        with pytest.raises(ConfigurationError, match="is not a source"):
            as_card(thing)


@pytest.mark.spec("ENC-BUDGET-2")
@pytest.mark.parametrize(
    ("file", "environ", "cap"),
    [
        ("", {}, 300),
        ("", {"STACKEXCHANGE_KEY": "k"}, None),
        ("[sources.stackexchange]\ndaily_calls = 5000", {}, 5000),
        ("[sources.stackexchange]\ndaily_calls = 20", {"STACKEXCHANGE_KEY": "k"}, 20),
        ("[sources.stackexchange]\ndaily_calls = false", {}, None),
    ],
)
def test_the_cap_is_the_users_else_what_is_given_away(
    tmp_path: Path, file: str, environ: dict[str, str], cap: int | None
) -> None:
    assert made(tmp_path, file, environ)["stackexchange"].daily_calls == cap


def test_a_described_source_can_have_a_cap(tmp_path: Path) -> None:
    found = made(tmp_path, f"[sources.mine]\n{TABLE}daily_calls = 7")
    assert (found["mine"].daily_calls, found["wikipedia"].daily_calls) == (7, None)


def test_crossref_waits_for_a_contact(tmp_path: Path) -> None:
    assert made(tmp_path)["crossref"].candidate.missing == "contact is not set"
    assert made(tmp_path, 'contact = "mail@example.org"')["crossref"].candidate.missing == ""
    assert made(tmp_path, "", {"ENCYCLOPEDIA_CONTACT": "mail@example.org"})["crossref"].candidate.missing == ""
