import pytest

from encyclopedia.answering.critic import critic
from encyclopedia.answering.decompose import facet
from encyclopedia.answering.disagree import contradict
from encyclopedia.answering.distil import WORDS, distil
from encyclopedia.answering.verify import verify
from encyclopedia.model.answer import Findings, Link, Passage


def passage(name: str, title: str, text: str) -> Passage:
    return Passage(f"{name}#{title}", name, title, text, name=name)


OBSERVER = passage(
    "books",
    "Observer: Intent",
    "The Observer pattern notifies all dependents of an object when its state changes.\n\nSee also other pages.",
)
ADAPTER = passage(
    "books", "Adapter: Intent", "An Adapter converts the interface of a class into another one that clients expect."
)
FACADE = passage("notes", "Facade", "A Facade offers one simple interface to a whole subsystem of classes.")
NOISE = passage("notes", "Lunch", "The soup of the day is served from noon until two, and it is hot.")
ALL = Findings((OBSERVER, ADAPTER, FACADE, NOISE))


def said(question: str, findings: Findings = ALL) -> list[str]:
    return [statement.text for statement in distil(facet(question), findings).statements]


@pytest.mark.spec("ENC-ASK-6")
def test_a_facet_is_answered_with_sentences_of_its_passages():
    record = distil(facet("What is the Observer pattern?"), ALL)
    assert [one.text for one in record.statements] == [
        "The Observer pattern notifies all dependents of an object when its state changes."
    ]
    (quote,) = record.statements[0].quotes
    assert quote.passage == OBSERVER.id
    assert quote.text in OBSERVER.text
    assert record.passages == (OBSERVER,)
    assert not record.refused


@pytest.mark.spec("ENC-ASK-6")
def test_both_sides_of_a_comparison_speak():
    found = said("Compare Adapter and Facade")
    assert any("Adapter" in text for text in found)
    assert any("Facade" in text for text in found)
    assert not any("soup" in text for text in found)


@pytest.mark.spec("ENC-ASK-7")
@pytest.mark.parametrize(
    "question",
    ["What is the capital of France?", "How does the Observer pattern encrypt passwords?", "Who invented the Flyweight?"],
)
def test_what_no_passage_speaks_of_is_refused(question):
    record = distil(facet(question), ALL)
    assert record.refused
    assert record.statements == ()
    assert record.confidence == "low"


@pytest.mark.spec("ENC-ASK-7")
def test_nothing_found_is_refused():
    assert distil(facet("What is the Observer pattern?"), Findings()).refused == "nothing was found"


@pytest.mark.spec("ENC-ASK-6")
def test_a_record_is_short_and_does_not_say_the_same_twice():
    many = tuple(
        passage(
            f"n{at}", "Pool", f"The pool keeps a number of connections open for host number {at}, and it closes idle ones. " * 9
        )
        for at in range(30)
    )
    record = distil(facet("How does the pool keep connections?"), Findings(many))
    assert sum(len(one.text.split()) for one in record.statements) <= WORDS
    assert len({one.text for one in record.statements}) == len(record.statements)


@pytest.mark.spec("ENC-ASK-6")
def test_agreement_makes_confidence():
    alone = distil(
        facet("How long is the pool timeout?"), Findings((passage("a", "Pool", "The pool timeout is 5 seconds long."),))
    )
    two = distil(
        facet("How long is the pool timeout?"),
        Findings(
            (
                passage("a", "Pool", "The pool timeout is 5 seconds long."),
                passage("b", "Pools", "After 5 seconds, which is how long the pool timeout lasts, it raises."),
            )
        ),
    )
    assert (alone.confidence, two.confidence) == ("medium", "high")


@pytest.mark.spec("ENC-ASK-8")
def test_passages_that_disagree_are_both_shown():
    findings = Findings(
        (
            passage("a", "Pool", "The pool timeout is 5 seconds by default."),
            passage("b", "Pool", "By default the pool timeout is 30 seconds."),
        )
    )
    record = distil(facet("What is the default pool timeout?"), findings)
    assert {one.quotes[0].passage for one in record.statements} == {"a#Pool", "b#Pool"}
    assert len(record.divergent) == 1


@pytest.mark.spec("ENC-ASK-8")
@pytest.mark.parametrize(
    ("one", "other", "against"),
    [
        ("The pool timeout is 5 seconds by default.", "By default the pool timeout is 30 seconds.", True),
        ("The client retries failed requests by default.", "The client does not retry failed requests by default.", True),
        ("The option enables response caching.", "The option disables response caching.", True),
        ("The pool timeout is 5 seconds by default.", "The default pool timeout is 5 seconds.", False),
        ("The pool timeout is 5 seconds by default.", "The read timeout of sockets is 30 seconds.", False),
        ("A Facade offers one simple interface.", "An Adapter does not offer a simple interface.", False),
    ],
)
def test_a_contradiction_is_about_the_same_thing(one, other, against):
    assert contradict(one, other) is against
    assert contradict(other, one) is against


@pytest.mark.spec("ENC-ASK-9")
def test_relations_between_the_things_asked_about_come_first():
    links = (
        Link("Singleton", "uses", "Registry"),
        Link("Adapter", "alternative_to", "Facade", "Adapter and Facade are alternatives.", "books", 0.9),
        Link("Facade", "uses", "Subsystem"),
    )
    record = distil(facet("How does the Adapter relate to the Facade?"), Findings(ALL.passages, links))
    assert [(link.type, link.target) for link in record.insights] == [("alternative_to", "Facade")]
    record = distil(facet("What is related to the Facade?"), Findings(ALL.passages, links))
    assert [link.type for link in record.insights] == ["alternative_to", "uses"]


@pytest.mark.spec("ENC-ASK-10")
def test_the_critic_asks_once_more_for_the_facet_that_has_no_answer():
    good = distil(facet("What is the Observer pattern?"), ALL)
    bad = distil(facet("How does the Mediator pattern work?"), ALL)
    assert critic([good]) is None
    at, again = critic([good, bad])
    assert at == 1
    assert again.text == bad.facet.text
    assert "mediator" in again.wording.lower()
    assert again.wording != bad.facet.wording


POOL = passage("notes", "Pool", "The pool keeps connections open for each host.\n\nIdle connections of the pool are closed.")


@pytest.mark.spec("ENC-ASK-22")
@pytest.mark.parametrize("text", ["The pool keeps 10 connections open.", "The pool keeps ten connections open."])
def test_who_asks_for_a_number_gets_one_or_a_refusal(text):
    question = "How many connections does the pool keep open?"
    assert distil(facet(question), Findings((POOL,))).refused == "no passage gives a number for it"
    assert said(question, Findings((POOL, passage("more", "Pool", text))))[0] == text


@pytest.mark.spec("ENC-ASK-22")
def test_a_number_of_the_question_answers_nothing():
    known = passage("notes", "Pool", "Version 3 of the pool keeps connections open.")
    assert distil(facet("How many connections does version 3 of the pool keep open?"), Findings((known,))).refused


@pytest.mark.spec("ENC-ASK-22")
def test_who_asks_why_gets_the_reason():
    text = "The pool closes idle connections.\n\nThis is so because hosts forget them."
    found = Findings((passage("notes", "Pool", text),))
    reason = "This is so because hosts forget them."
    assert reason in said("Why does the pool close idle connections?", found)
    assert reason not in said("Does the pool close idle connections?", found)


@pytest.mark.spec("ENC-ASK-6")
def test_a_part_of_a_sentence_is_not_said_beside_it():
    text = (
        "The pool takes limits of these kinds:\n\n- the most connections of the pool\n- the limits of the pool by host and time"
    )
    found = said("Which limits does the pool take?", Findings((passage("notes", "Pool", text),)))
    assert sum("by host" in one for one in found) == 1


@pytest.mark.spec("ENC-ASK-9")
def test_the_sentence_that_states_a_relation_comes_first_and_names_both():
    stated = passage("books", "Patterns > Facade and Mediator", "Can be used to hide it from its clients.")
    link = Link("Facade", "related", "Mediator", stated.text, passage=stated.id)
    found = distil(facet("What is related to the Facade?"), Findings((FACADE, stated), (link,)))
    first = found.statements[0]
    assert first.text == "Facade and Mediator: Can be used to hide it from its clients."
    assert verify(first, {stated.id: stated}).supported == "yes"


@pytest.mark.spec("ENC-ASK-6")
def test_a_second_document_must_say_it_by_itself_to_be_agreement():
    aside = passage("aside", "Clients", "Clients of an Adapter wait.")
    assert (
        distil(facet("What does an Adapter convert into another interface?"), Findings((ADAPTER, aside))).confidence != "high"
    )
    again = passage("again", "Adapter", "The interface of a class is what an Adapter will convert into another.")
    assert (
        distil(facet("What does an Adapter convert into another interface?"), Findings((ADAPTER, again))).confidence == "high"
    )
