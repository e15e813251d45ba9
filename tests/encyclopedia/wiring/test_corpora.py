from __future__ import annotations

import json
from pathlib import Path

import pytest

from encyclopedia.model.corpus import Corpus, no_secret
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import Settings
from encyclopedia.wiring import corpora
from encyclopedia.wiring.environment import Environment
from encyclopedia.wiring.settings import Loaded


def registered(home: str, tables: dict[str, dict[str, object]] | None = None) -> tuple[Corpus, ...]:
    loaded = Loaded(Settings(corpora=tables or {}), {}, home, Environment({}, {}))
    return tuple(corpus._replace(secret=no_secret) for corpus in corpora.registered(loaded))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "my notes"
    folder.mkdir()
    return folder


@pytest.mark.spec("ENC-CORPUS-1")
def test_what_is_added_is_registered_until_it_is_removed(tmp_path: Path, notes: Path) -> None:
    home = str(tmp_path / "home")
    made = corpora.add(
        home, {"name": "notes", "path": str(notes), "tags": ["own"], "serves": {"code_context": 0.2}}, frozenset()
    )
    assert registered(home) == (made,)
    assert (made.kind, made.tags, dict(made.serves)) == ("documents", ("own",), {QueryType.CODE_CONTEXT: 0.2})
    assert Path(made.folder).stat().st_mode & 0o777 == 0o700
    assert (Path(made.folder) / "corpus.json").stat().st_mode & 0o777 == 0o600
    (notes / "a.md").write_text("mine")
    corpora.remove(home, "notes")
    assert registered(home) == ()
    assert (notes / "a.md").read_text() == "mine"


def test_a_relative_path_is_remembered_as_an_absolute_one(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert corpora.add(str(tmp_path / "home"), {"name": "n", "path": "my notes"}, frozenset()).path == str(notes)


@pytest.mark.spec("ENC-CORPUS-2")
@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "é", "x" * 65, ".hidden", "a\n"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path: Path, notes: Path, name: str) -> None:
    with pytest.raises(ConfigurationError):
        corpora.add(str(tmp_path / "home"), {"name": name, "path": str(notes)}, frozenset())
    assert not (tmp_path / "home").exists()


@pytest.mark.spec("ENC-CORPUS-2")
def test_what_does_not_fit_is_refused(tmp_path: Path, notes: Path) -> None:
    home = str(tmp_path / "home")
    with pytest.raises(ConfigurationError, match="does not exist"):
        corpora.add(home, {"name": "a", "path": str(tmp_path / "none")}, frozenset())
    with pytest.raises(ConfigurationError, match="name of a source"):
        corpora.add(home, {"name": "packages", "path": str(notes)}, frozenset({"packages"}))
    corpora.add(home, {"name": "a", "path": str(notes)}, frozenset())
    with pytest.raises(ConfigurationError, match="exists already"):
        corpora.add(home, {"name": "a", "path": str(notes)}, frozenset())
    with pytest.raises(ConfigurationError) as failed:
        corpora.remove(home, "aa")
    assert failed.value.hint == "did you mean a?"


def test_a_table_in_the_settings_is_a_corpus_too(tmp_path: Path, notes: Path) -> None:
    table = {"path": str(notes), "private": True}
    (found,) = registered(str(tmp_path), {"work": table})
    assert (found.name, found.private) == ("work", True)
    with pytest.raises(ConfigurationError) as failed:
        registered(str(tmp_path), {"work": {"pth": "x"}})
    assert failed.value.hint == "did you mean path?"
    with pytest.raises(ConfigurationError, match="has no path"):
        registered(str(tmp_path), {"work": {}})


def test_a_damaged_registration_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "corpora" / "x"
    folder.mkdir(parents=True)
    (folder / "corpus.json").write_text('{"path": ')
    assert registered(str(tmp_path)) == ()
    assert corpora.damaged(str(tmp_path)) == {"x": f"{folder}/corpus.json is damaged"}
    with pytest.raises(ConfigurationError, match="exists already"):
        corpora.add(str(tmp_path), {"name": "x", "path": str(tmp_path)}, frozenset())
    corpora.remove(str(tmp_path), "x")
    assert corpora.damaged(str(tmp_path)) == {}


@pytest.mark.spec("ENC-CORPUS-3")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("[]", "is damaged"),
        ("5", "is damaged"),
        ("null", "is damaged"),
        ("[" * 100_000, "is damaged"),
        ("{}", "has no path"),
        ('{"path": 5}', "has no path"),
        ('{"path": "a\\u0000b"}', "has no path"),
        ('{"path": "/tmp", "later": 1}', "unknown setting"),
        ('{"path": "/tmp", "tags": 5}', "tags cannot be 5"),
        ('{"path": "/tmp", "tags": "word"}', "tags cannot be 'word'"),
        ('{"path": "/tmp", "private": "no"}', "private cannot be 'no'"),
        ('{"path": "/tmp", "label": "hidden"}', "label cannot be 'hidden'"),
        ('{"path": "/tmp", "label": ["secret"]}', "label cannot be"),
        ('{"path": "/tmp", "serves": [1]}', "table of weights"),
    ],
)
def test_a_damaged_registration_costs_no_other(tmp_path: Path, notes: Path, body: str, reason: str) -> None:
    home = str(tmp_path / "home")
    good = corpora.add(home, {"name": "good", "path": str(notes)}, frozenset())
    bad = Path(good.folder).parent / "bad"
    bad.mkdir()
    (bad / "corpus.json").write_text(body)
    assert registered(home) == (good,)
    assert list(corpora.damaged(home)) == ["bad"]
    assert reason in corpora.damaged(home)["bad"]


def test_what_is_no_folder_and_no_file_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="neither a folder nor a file"):
        corpora.add(str(tmp_path / "home"), {"name": "null", "path": "/dev/null"}, frozenset())
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("table", [{"library_docs": 2}, {"library_docs": True}, {"library_docs": "x"}, {"docs": 0.1}, [1]])
def test_weights_are_numbers_by_query_type(table: object) -> None:
    with pytest.raises(ConfigurationError):
        corpora.weights(table, "here")


def test_the_registration_is_plain_json(tmp_path: Path, notes: Path) -> None:
    made = corpora.add(str(tmp_path / "home"), {"name": "n", "path": str(notes)}, frozenset())
    body = json.loads((Path(made.folder) / "corpus.json").read_text())
    assert body == {
        "path": str(notes),
        "kind": "documents",
        "serves": {"library_docs": 0.4, "general_search": 0.4},
        "tags": [],
        "label": "public",
    }
