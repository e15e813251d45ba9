import pytest

from encyclopedia.answering.critic import critic
from encyclopedia.answering.decompose import facet
from encyclopedia.answering.disagree import contradict
from encyclopedia.answering.distil import WORDS, distil
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
    assert [link.type for link in record.insights] == ["alternative_to", "uses"]
    assert record.insights[0].target == "Facade"


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
