import pytest

from encyclopedia.answering.atomize import atomize
from encyclopedia.model.answer import Quote, Statement

QUOTES = (Quote("p", "whatever stands there"),)


def parts(text: str) -> list[str]:
    found = atomize(Statement(text, QUOTES))
    assert all(one.quotes == QUOTES for one in found)
    return [one.text for one in found]


@pytest.mark.spec("ENC-ASK-5")
@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("The client waits.", ["The client waits."]),
        (
            "The Observer pattern is behavioral; it decouples subjects from observers.",
            ["The Observer pattern is behavioral", "The Observer pattern decouples subjects from observers."],
        ),
        (
            "The cache is small, but it holds answers for an hour.",
            ["The cache is small", "The cache holds answers for an hour."],
        ),
        ("In summary, the pool is bounded.", ["the pool is bounded."]),
        (
            "The pool is bounded, which also limits its memory.",
            ["The pool is bounded", "The pool limits its memory."],
        ),
        ("The pool, which also counts, is bounded.", ["The pool, which also counts, is bounded."]),
    ],
)
def test_a_statement_is_cut_into_claims_that_stand_alone(text, atoms):
    assert parts(text) == atoms


@pytest.mark.spec("ENC-ASK-5")
def test_a_statement_always_has_a_claim():
    assert parts("...") == ["..."]
    assert parts("") == [""]
