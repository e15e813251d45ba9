import pytest

from encyclopedia.answering.compose import REFUSAL, compose, shortened
from encyclopedia.answering.decompose import facet
from encyclopedia.model.answer import Distillate, Passage, Quote, Statement, Support, Verdict

PASSAGES = {
    name: Passage(name, document, "Title", text, name=document)
    for name, document, text in (
        ("a1", "a", "One says this. And this too."),
        ("a2", "a", "One says more elsewhere."),
        ("b1", "b", "Two says that."),
    )
}


def verdict(text: str, passage: str, supported: Support = Support.YES) -> Verdict:
    return Verdict(Statement(text, (Quote(passage, text),)), supported)


def record(*verdicts: Verdict, **more) -> Distillate:
    statements = tuple(one.statement for one in verdicts)
    passages = tuple(PASSAGES[name] for name in dict.fromkeys(quote.passage for one in statements for quote in one.quotes))
    return Distillate(facet("What is it?"), statements, passages, confidence="high", **more)


@pytest.mark.spec("ENC-ASK-11")
def test_one_document_has_one_number_however_often_it_is_cited():
    group = (verdict("One says this.", "a1"), verdict("Two says that.", "b1"), verdict("One says more elsewhere.", "a2"))
    made = compose([record(*group)], [group], PASSAGES)
    assert made.prose == "One says this. [1] Two says that. [2] One says more elsewhere. [1]"
    assert [(cited.number, cited.document, len(cited.quotes)) for cited in made.cited] == [(1, "a", 2), (2, "b", 1)]


@pytest.mark.spec("ENC-ASK-11")
def test_the_answer_is_rebuilt_from_the_verdicts():
    group = (
        verdict("One says this.", "a1"),
        verdict("Two says that.", "b1", Support.PARTIAL),
        verdict("One says more elsewhere.", "a2", Support.NO),
    )
    made = compose([record(*group)], [group], PASSAGES)
    assert made.prose == "One says this. [1] “Two says that.” [2]"


@pytest.mark.spec("ENC-ASK-11")
def test_a_sentence_is_said_once():
    group = (verdict("One says this.", "a1"),)
    made = compose([record(*group), record(*group)], [group, group], PASSAGES)
    assert made.prose == "One says this. [1]"


@pytest.mark.spec("ENC-ASK-7")
def test_without_an_answer_there_is_no_prose():
    refused = Distillate(facet("What is it?"), refused="no passage speaks of it", gaps=("it",))
    made = compose([refused], [()], PASSAGES)
    assert made.refusal == made.prose == f"{REFUSAL}: no passage speaks of it."
    assert made.cited == ()
    assert made.confidence == "low"


@pytest.mark.spec("ENC-ASK-11")
def test_a_facet_without_an_answer_lowers_the_confidence_and_is_a_gap():
    group = (verdict("One says this.", "a1"),)
    refused = Distillate(facet("And why?"), refused="no passage speaks of it", gaps=("cost",))
    made = compose([record(*group), refused], [group, ()], PASSAGES)
    assert not made.refusal
    assert made.confidence == "medium"
    assert made.gaps == ("cost",)


@pytest.mark.spec("ENC-ASK-8")
def test_a_divergence_names_the_numbers_of_both():
    group = (verdict("One says this.", "a1"), verdict("Two says that.", "b1"))
    made = compose([record(*group, divergent=((group[0].statement, group[1].statement),))], [group], PASSAGES)
    assert made.divergent == ((1, 2),)


@pytest.mark.spec("ENC-ASK-12")
def test_max_tokens_keeps_the_first_statements_and_at_least_one():
    group = (verdict("One says this.", "a1"), verdict("Two says that.", "b1"))
    made = compose([record(*group)], [group], PASSAGES)
    assert shortened(made, None) == made
    assert shortened(made, 5).prose == "One says this. [1]"
    assert [cited.number for cited in shortened(made, 1).cited] == [1]
