"""What sentences say of two concepts, and when they say nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local.graph.mentions import Names
from encyclopedia_adapters.local.graph.prose import sentences
from encyclopedia_adapters.local.graph.said import claims
from encyclopedia_adapters.local.graph.values import TYPES, Concept

CONCEPTS = {
    "obs": ("Observer", ()),
    "med": ("Mediator", ()),
    "cb": ("Circuit Breaker", ("fuse",)),
    "retry": ("Retry", ()),
    "proxy": ("Proxy", ()),
    "broker": ("message broker", ()),
    "queue": ("Dead-Letter Queue (DLQ)", ("DLQ",)),
}
NAMES = Names([Concept(key, "b", name, aliases=aliases) for key, (name, aliases) in CONCEPTS.items()])

SAYS = {
    "The Observer pattern uses a Mediator.": "obs uses med",
    "A circuit breaker is a kind of proxy.": "cb specializes proxy",
    "Circuit breakers are special cases of the Proxy pattern.": "cb specializes proxy",
    "Retry is part of Circuit Breaker.": "retry component_of cb",
    "A message broker contains a dead-letter queue.": "queue component_of broker",
    "A DLQ belongs to the message broker.": "queue component_of broker",
    "Retry requires a Circuit Breaker.": "retry requires cb",
    "Circuit Breaker is a prerequisite for Retry.": "retry requires cb",
    "A Proxy cannot work without a message broker.": "proxy requires broker",
    "The message broker enables Observer.": "broker enables obs",
    "Observer extends Mediator.": "obs extends med",
    "Observer builds on the Mediator.": "obs extends med",
    "Use Retry instead of a Proxy.": "retry alternative_to proxy",
    "Mediator is an alternative to Observer.": "med alternative_to obs",
    "Circuit Breaker works well with Retry.": "cb complements retry",
    "Retry, then Circuit Breaker.": "retry precedes cb",
    "Retry comes before Circuit Breaker.": "retry precedes cb",
    "Proxy follows Mediator.": "med precedes proxy",
    "Observer conflicts with Proxy.": "obs conflicts_with proxy",
    "Retry must not be combined with Proxy.": "retry conflicts_with proxy",
    "Observer, which notifies many, uses the Mediator.": "obs uses med",
    "Observer uses the Mediator and extends Proxy.": "obs uses med, obs extends proxy",
    "Observer and Mediator use Proxy.": "obs uses proxy, med uses proxy",
    "Observer uses Mediator, Proxy and Retry.": "obs uses med, obs uses proxy, obs uses retry",
    "**Observer**: a kind of [Mediator](mediator.md).": "obs specializes med",
    "Proxy is used by the Mediator.": "med uses proxy",
    "It requires a Proxy.": "cb requires proxy",
    "A message broker uses a proxy.": "broker uses proxy",
    "- Uses a Mediator": "cb uses med",
    "This pattern extends the Proxy.": "cb extends proxy",
}
SAYS_NOTHING = (
    "Observer does not use Mediator.",
    "Observer doesn't use Mediator.",
    "Observer never requires a Proxy.",
    "Neither Observer nor Mediator uses Proxy.",
    "No Observer uses a Proxy.",
    "It is a myth that Retry requires a Proxy.",
    "Contrary to what is said, Retry extends Proxy.",
    "Does Observer use Mediator?",
    "If Observer uses Mediator, all is lost.",
    "Retry isn't an alternative to Proxy.",
    "Observer no longer uses Mediator.",
    "Observer works without a Mediator.",
    "Observer. Mediator uses much.",
    "Observer uses a separate proxy.",
    "Observer supports proxy management.",
    "Of the proxies that there are, two: an Observer and more.",
    "The Observer of a Mediator is here.",
    "It is fine.",
    "Proxy requires a Proxy.",
)


def said(text: str, subject: str = "cb") -> list[str]:
    lines = text.split("\n")
    found = [claim for sentence in sentences(lines, 1, len(lines)) for claim in claims(sentence, NAMES, subject)]
    assert all(claim.type in TYPES and 0.4 <= claim.confidence <= 0.7 for claim in found)
    return [f"{claim.start} {claim.type} {claim.end}" for claim in found]


@pytest.mark.spec("ENC-BOOKS-10")
@pytest.mark.parametrize("text", SAYS)
def test_a_relation_is_read_from_a_sentence(text: str) -> None:
    assert said(text) == SAYS[text].split(", ")


@pytest.mark.spec("ENC-BOOKS-10")
@pytest.mark.parametrize("text", SAYS_NOTHING)
def test_a_denied_or_unclear_sentence_says_nothing(text: str) -> None:
    assert said(text) == []


@pytest.mark.spec("ENC-BOOKS-10")
def test_code_tables_and_headings_say_nothing() -> None:
    assert said("```\nObserver uses Mediator.\n```\n\n| Observer uses Mediator. |\n\n# Observer uses Mediator") == []
    assert said("```\nx\n```\nObserver uses Mediator.") == ["obs uses med"]


@pytest.mark.spec("ENC-BOOKS-10")
def test_a_hedge_and_an_implied_subject_make_a_claim_less_sure() -> None:
    def score(text: str) -> float:
        (sentence,) = sentences([text], 1, 1)
        return next(claims(sentence, NAMES, "cb")).confidence

    assert score("Observer uses Mediator.") > score("It uses Mediator.") > score("Observer may use Mediator.")


@pytest.mark.spec("ENC-BOOKS-10")
@given(
    st.lists(st.sampled_from([*SAYS, *SAYS_NOTHING, "\n", "- ", "> ", "```", "|", "x. ", "é", "\x00"]), max_size=8).map(
        " ".join
    )
)
def test_no_text_crashes_the_reading_and_sentences_stand_where_they_say(text: str) -> None:
    lines = text.split("\n")
    for sentence in sentences(lines, 1, len(lines)):
        whole = "\n".join(lines[sentence.first - 1 : sentence.last])
        assert all(word in whole for word in sentence.raw.split())
        assert len(sentence.raw) == len(sentence.plain)
        list(claims(sentence, NAMES, "cb"))
