import asyncio

import pytest

from encyclopedia.answering.atomize import atomize
from encyclopedia.answering.compose import compose
from encyclopedia.answering.critic import critic
from encyclopedia.answering.decompose import decompose
from encyclopedia.answering.distil import distil
from encyclopedia.answering.verify import verify
from encyclopedia.engine.consult import Consultation, Phrased
from encyclopedia.model.answer import Findings, Passage, Quote, Statement, Support

OBSERVER = Passage("a#0", "a", "Observer", "The Observer pattern notifies dependents when a state changes.")
SAGA = Passage("b#0", "b", "Saga", "A Saga undoes the steps of a long transaction one after another.")


class Shelf:
    """Gives everything that it has, and remembers what it was asked."""

    def __init__(self, *passages: Passage, hidden: tuple[Passage, ...] = ()) -> None:
        self.passages, self.hidden, self.asked = passages, hidden, []

    async def __call__(self, facet):
        self.asked.append(facet.wording)
        await asyncio.sleep(0)
        return Findings(self.passages + (self.hidden if len(self.asked) > 1 else ()))


def consultation(shelf, **model) -> Consultation:
    return Consultation(decompose, shelf, distil, critic, atomize, verify, **model)


def prose(done) -> str:
    return compose(done.distillates, done.verdicts, done.passages).prose


@pytest.mark.spec("ENC-ASK-15")
async def test_without_a_model_the_answer_is_made_of_sentences_of_the_passages():
    done = await consultation(Shelf(OBSERVER, SAGA)).answer("What is the Observer pattern?")
    assert prose(done) == "The Observer pattern notifies dependents when a state changes. [1]"
    assert not done.phrased
    assert all(verdict.supported is Support.YES for group in done.verdicts for verdict in group)


@pytest.mark.spec("ENC-TELL-1")
async def test_every_step_that_takes_time_is_told():
    async def rewrite(facets):
        return tuple(facet._replace(search="never shown") for facet in facets)

    async def phrase(_question, _distillates):
        return Phrased()

    question, plain, told = "What is the Observer pattern? What is a Saga?", [], []
    await consultation(Shelf(OBSERVER, SAGA)).answer(question, told=lambda *one: plain.append(one))
    assert plain == [("What is the Observer pattern?", 1, 2), ("What is a Saga?", 2, 2)]
    model = {"rewrite": rewrite, "phrase": phrase}
    await consultation(Shelf(OBSERVER), **model).answer(question, told=lambda *one: told.append(one))
    assert [name for name, _, _ in told] == [
        "words to search for",
        "What is the Observer pattern?",
        "What is a Saga?",
        "What is a Saga?",
        "an answer in a model's words",
    ]
    assert [(done, total) for _, done, total in told] == [(1, 4), (2, 4), (3, 4), (4, 4), (5, 5)]


@pytest.mark.spec("ENC-ASK-15")
async def test_facets_are_retrieved_together():
    both = asyncio.Event()
    waiting = []

    async def retrieve(facet):
        waiting.append(facet)
        if len(waiting) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)
        return Findings((OBSERVER, SAGA))

    done = await consultation(retrieve).answer("What is the Observer pattern? What is a Saga?")
    assert len(done.facets) == 2


@pytest.mark.spec("ENC-ASK-10")
async def test_a_gap_is_searched_once_more_and_only_once():
    shelf = Shelf(OBSERVER, hidden=(SAGA,))
    done = await consultation(shelf).answer("What is a Saga?")
    assert len(shelf.asked) == 2
    assert "Saga" in prose(done)
    assert done.again.text == "What is a Saga?"
    shelf = Shelf(OBSERVER)
    await consultation(shelf).answer("What is a Mediator?")
    assert len(shelf.asked) == 2


@pytest.mark.spec("ENC-ASK-10")
async def test_fast_looks_once():
    shelf = Shelf(OBSERVER, hidden=(SAGA,))
    await consultation(shelf).answer("What is a Saga?", fast=True)
    assert len(shelf.asked) == 1


def phrase(*statements: Statement, remark: str = ""):
    async def write(_question, distillates):
        return Phrased((statements, *((),) * (len(distillates) - 1)) if statements else (), (remark,) if remark else ())

    return write


GOOD = Statement("Dependents are notified when the state changes.", (Quote("a#0", "notifies dependents when a state changes"),))
LIE = Statement("The Observer pattern deletes 7 dependents.", (Quote("a#0", "notifies dependents when a state changes"),))


@pytest.mark.spec("ENC-ASK-16")
async def test_a_model_only_rephrases_and_what_is_not_in_the_passages_is_dropped():
    done = await consultation(Shelf(OBSERVER), phrase=phrase(GOOD, LIE)).answer("What is the Observer pattern?")
    assert done.phrased
    assert prose(done) == "Dependents are notified when the state changes. [1]"


@pytest.mark.spec("ENC-ASK-16")
async def test_if_nothing_of_the_model_stands_the_passages_speak():
    done = await consultation(Shelf(OBSERVER), phrase=phrase(LIE)).answer("What is the Observer pattern?")
    assert not done.phrased
    assert prose(done).startswith("The Observer pattern notifies dependents")
    assert done.remarks == ("nothing that the model wrote stands in the passages",)


@pytest.mark.spec("ENC-ASK-16")
async def test_a_refusal_asks_no_model():
    async def never(*_):
        raise AssertionError("there is nothing to rephrase")

    done = await consultation(Shelf(OBSERVER), phrase=never).answer("What is the capital of France?")
    assert compose(done.distillates, done.verdicts, done.passages).refusal


@pytest.mark.spec("ENC-ASK-14")
async def test_the_wording_of_a_search_never_reaches_the_answer():
    async def rewrite(facets):
        return tuple(facet._replace(search="ZEBRA hypothetical wording") for facet in facets)

    shelf = Shelf(OBSERVER)
    done = await consultation(shelf, rewrite=rewrite).answer("What is the Observer pattern?")
    assert shelf.asked[0] == "ZEBRA hypothetical wording"
    assert "ZEBRA" not in prose(done)
    assert not any("ZEBRA" in word for one in done.distillates for word in (*one.gaps, one.refused))
