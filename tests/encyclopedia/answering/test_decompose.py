from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.answering.decompose import MOST, decompose, subject
from encyclopedia.model.answer import Intent

FIXTURE = Path(__file__).parents[2] / "fixtures" / "facets.txt"


def cases() -> list[tuple[str, list[tuple[str, str, tuple[str, ...]]]]]:
    found: list[tuple[str, list[tuple[str, str, tuple[str, ...]]]]] = []
    for line in FIXTURE.read_text().splitlines():
        if line.startswith("  "):
            intent, text, sides = (part.strip() for part in line.split("|"))
            found[-1][1].append((intent, text, tuple(side.strip() for side in sides.split("/") if side.strip())))
        elif not line.startswith("#"):
            found.append((line, []))
    return found


@pytest.mark.spec("ENC-ASK-1")
@pytest.mark.parametrize(("question", "facets"), cases())
def test_a_question_is_cut_at_its_seams_and_each_facet_has_its_intent(question, facets):
    assert [(facet.intent.value, facet.text, facet.sides) for facet in decompose(question)] == facets


@pytest.mark.spec("ENC-ASK-1")
def test_fast_makes_one_facet():
    (facet,) = decompose("What is CQRS, and how does it relate to event sourcing?", fast=True)
    assert facet.text == "What is CQRS, and how does it relate to event sourcing?"
    assert facet.intent is Intent.RELATIONAL


@pytest.mark.spec("ENC-ASK-1")
def test_a_later_facet_whose_pronoun_cannot_be_named_is_searched_with_the_words_of_the_first():
    first, second = decompose("How do I set a timeout? What happens when it fires?")
    assert first.wording == first.text
    assert second.text == "What happens when it fires?"
    assert "timeout" in second.wording


@pytest.mark.spec("ENC-ASK-1")
@given(st.text(max_size=400))
def test_any_text_has_one_to_four_facets_that_hold_all_its_words(text):
    facets = decompose(text)
    assert 1 <= len(facets) <= MOST
    assert decompose(text) == facets


@pytest.mark.spec("ENC-ASK-1")
@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What is the Observer pattern?", "Observer pattern"),
        ("who is Kevin Kelly", "Kevin Kelly"),
        ("Explain backpressure.", "backpressure"),
        ("tell me about caching", "caching"),
    ],
)
def test_the_subject_is_what_stands_behind_the_words_that_ask(question, about):
    assert subject(question) == about
