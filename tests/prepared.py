"""What the tests of the prepare stages share: the vocabulary that ships, tables of text, and the stages in a row."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from encyclopedia.model.query import Query, Question
from encyclopedia.stages.adapt import adapt
from encyclopedia.stages.classify import classify
from encyclopedia.stages.correct import correct
from encyclopedia.stages.expand import expand
from encyclopedia.wiring.vocabulary import load

if TYPE_CHECKING:
    from encyclopedia.model.vocabulary import Vocabulary

ROOT = Path(__file__).parents[1]


def table(name: str) -> list[list[str]]:
    """The rows of a fixture: cells between bars; comments and empty lines left out."""
    lines = (ROOT / "tests" / "fixtures" / name).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split(" |")] for line in lines if line.strip() and not line.startswith("# ")]


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary that ships."""
    return load(str(ROOT / "config"))


def nothing(_: str) -> bool:
    """A machine without any local index."""
    return False


def classified(text: str, **options: object) -> Question:
    """``text`` classified with the vocabulary that ships."""
    words = vocabulary()
    return classify(
        Query(text, **options),
        libraries=words.libraries.__contains__,
        english=words.english,
        max_chars=4000,
        stop_words=words.stop_words,
    )


def corrected(text: str, **options: object) -> Question:
    """``text`` classified and corrected."""
    words = vocabulary()
    return correct(classified(text, **options), vocabulary=words, known=nothing, libraries=words.libraries.__contains__)


def expanded(text: str, **options: object) -> Question:
    """``text`` classified, corrected and expanded."""
    return expand(corrected(text, **options), vocabulary=vocabulary())


def adapted(text: str, **options: object) -> Question:
    """``text`` as the router gets it."""
    return adapt(expanded(text, **options), vocabulary=vocabulary())


# Words that the stages have something to do with, between arbitrary text.
WORDS = (
    *(
        "kuberntes",
        "limts",
        "k8s",
        "auth",
        "dependency injection",
        "repo:a/b",
        "repo:../x",
        "doc:",
        "`kuberntes",
        "`",
        '"',
        "'",
    ),
    *("def", "class", "latest", "2024", "c++", "OS", "ci/cd", "https://a.example/", "кубернетис", "\x00", "\ud800", "\x1b[31m"),
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8))).map(" ".join))
