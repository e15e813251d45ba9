from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.vocabulary import load
from tests.prepared import ROOT, vocabulary

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "vocabulary.toml": "libraries = 'django'\nterms = '''\ncache\n'''\nstop_words = 'the a'\nmisspellings = '''\ncache = cahce chace\n'''\n",
    "synonyms.toml": "groups = '''\ndi | dependency injection\nregex | regexp | regular expression\n'''\npairs = '''\nauth = a | b\nregex = x\n'''\n",
    "english.txt": "code\ntest\n",
}


def folder(path: Path, **changes: str | None) -> str:
    for name, text in FILES.items():
        new = changes.get(name.partition(".")[0], text)
        if new is not None:
            (path / name).write_text(new, encoding="utf-8")
    return str(path)


@pytest.mark.spec("ENC-VOCABULARY-1")
def test_what_the_files_say(tmp_path: Path) -> None:
    words = load(folder(tmp_path))
    assert words.libraries == {"django"}
    assert words.terms == {"django", "cache"}
    assert words.english == {"code", "test"}
    assert words.stop_words == {"the", "a"}
    assert words.misspellings == {"cahce": "cache", "chace": "cache"}
    assert words.synonyms == {
        "di": ("dependency injection",),
        "dependency injection": ("di",),
        "regex": ("regexp", "regular expression", "x"),
        "regexp": ("regex", "regular expression"),
        "regular expression": ("regex", "regexp"),
        "auth": ("a", "b"),
    }


@pytest.mark.spec("ENC-VOCABULARY-1")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"english": None}, "english.txt cannot be read"),
        ({"vocabulary": None}, "vocabulary.toml cannot be read"),
        ({"vocabulary": "libraries = '"}, "vocabulary.toml is not valid TOML"),
        ({"vocabulary": "libraries = 'x'"}, "has no text under terms, stop_words, misspellings"),
        ({"synonyms": "groups = ['a', 'b']\npairs = ''"}, "has no text under groups"),
    ],
)
def test_a_file_that_is_missing_or_wrong_is_named(tmp_path: Path, changes: dict[str, str | None], said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)) as caught:
        load(folder(tmp_path, **changes))
    assert caught.value.hint


@pytest.mark.spec("ENC-VOCABULARY-1")
def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (tmp_path / "english.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"english\.txt cannot be read"):
        load(path)


@pytest.mark.spec("ENC-VOCABULARY-2")
def test_the_lists_are_as_large_as_promised() -> None:
    words = vocabulary()
    assert len(words.terms) >= 600
    assert len(words.misspellings) >= 150
    assert len(words.english) >= 3000
    assert len(words.synonyms) >= 120
    assert words.libraries <= words.terms
    assert {"code", "test", "serve", "rusty", "restarts", "limited", "listed", "deploys", "rich", "click"} <= words.english
    assert {"kubernetes", "middleware", "authentication", "limits", "timeout", "node"} <= words.terms
    assert {"requests", "django", "kubernetes", "htmx"} <= words.libraries


@pytest.mark.spec("ENC-VOCABULARY-2")
def test_every_word_is_in_lower_case_and_single() -> None:
    words = vocabulary()
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+#-]*", word) for word in words.terms)
    assert all(re.fullmatch(r"[a-z]+", word) for word in words.english | words.stop_words)


@pytest.mark.spec("ENC-VOCABULARY-2")
def test_misspellings_are_no_words_and_their_corrections_are() -> None:
    words = vocabulary()
    for wrong, right in words.misspellings.items():
        assert re.fullmatch(r"[a-z]{5,}", wrong), wrong
        assert wrong not in words.terms | words.english, wrong
        assert right in words.terms | words.english, right
    listed = re.findall(r"\S+", " ".join(re.findall(r"(?m)^[a-z]+ = (.*)$", (ROOT / "config/vocabulary.toml").read_text())))
    assert len([word for word in listed if word in words.misspellings]) == len(words.misspellings)  # none is listed twice


@pytest.mark.spec("ENC-VOCABULARY-3")
def test_synonyms_are_few_and_lead_to_something_else() -> None:
    for term, others in vocabulary().synonyms.items():
        assert 1 <= len(others) <= 3, term
        assert len({*others, term}) == len(others) + 1, term
        assert term == term.strip() != ""


@pytest.mark.spec("ENC-VOCABULARY-3")
@pytest.mark.parametrize(
    "word", ["rest", "spa", "ide", "os", "ip", "ir", "env", "state", "pr", "go", "frontend", "backend", "hook"]
)
def test_words_that_mean_something_else_have_no_synonyms(word: str) -> None:
    assert word not in vocabulary().synonyms


@pytest.mark.spec("ENC-VOCABULARY-1")
@pytest.mark.parametrize("name", ["vocabulary.toml", "synonyms.toml"])
def test_the_short_way_of_reading_reads_what_the_parser_reads(name):
    import tomllib

    from encyclopedia.wiring.vocabulary import _blocks

    text = (ROOT / "config" / name).read_text()
    assert _blocks(text) == tomllib.loads(text)
