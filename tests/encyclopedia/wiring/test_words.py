from __future__ import annotations

from pathlib import Path

from encyclopedia.model.plan import Candidate
from encyclopedia.model.vocabulary import Vocabulary
from encyclopedia.ports import Card, Context
from encyclopedia.wiring.catalog import Entry
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.resources import Resources
from encyclopedia.wiring.settings import load
from encyclopedia.wiring.sources import Sources
from encyclopedia.wiring.words import Words

VOCABULARY = Vocabulary(libraries=frozenset({"react"}), english=frozenset({"random"}))


def words(home: Path, card: Card, missing: str = "") -> Words:
    entry = Entry(card, {}, Candidate(card.name, {}, missing=missing, corpus=card.corpus))
    loaded = load(str(home), environment(str(home), {}, str(home)))
    return Words(
        VOCABULARY, {"here": "tests.encyclopedia.wiring.names:library_names"}, Sources({card.name: entry}, loaded, Resources())
    )


def knows(context: Context, word: str) -> bool:
    assert context.name == "notes"
    return word == "flywheel"


def test_libraries_are_those_of_vocabulary_packages_standard_library_and_corpora(tmp_path: Path) -> None:
    known = words(tmp_path, Card("notes", {}, corpus=True))
    assert all(map(known.library, ("react", "acme-widgets", "asyncio", "notes")))
    assert not any(map(known.library, ("random", "nothing", "flywheel")))  # random is an English word


def test_a_word_of_a_local_index_is_known(tmp_path: Path) -> None:
    assert words(tmp_path, Card("notes", {}, knows=knows)).known("flywheel")
    assert not words(tmp_path, Card("notes", {}, knows=knows)).known("flywheeel")
    assert not words(tmp_path, Card("notes", {}, knows=knows), missing="tantivy is not installed").known("flywheel")
