import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.answering.verify import Place, place, verify
from encyclopedia.model.answer import Passage, Quote, Statement, Support

TEXT = (
    "The client does not retry more than 3 times by default.\n"
    "Transport errors are retried with HTTPTransport(retries=1), and version 0.28 removed proxies. "
    "Alice approves what Bob writes, and nobody merges alone."
)
PASSAGES = {
    "p": Passage("p", "d", "Retry: Intent", TEXT),
    "q": Passage("q", "e", "Other", "Connections are pooled and kept for 5 seconds after the last use."),
}
FIRST = "The client does not retry more than 3 times by default."


def verdict(text: str, quote: str, passage: str = "p") -> Support:
    return verify(Statement(text, (Quote(passage, quote),)), PASSAGES).supported


@pytest.mark.spec("ENC-ASK-4")
@pytest.mark.parametrize(
    ("quote", "where"),
    [
        (Quote("p", "does not retry  more than 3 times"), Place.FOUND),
        (Quote("p", "does not retry more than 4 times"), Place.NOT_FOUND),
        (Quote("p", "kept for 5 seconds after"), Place.MISATTRIBUTED),
        (Quote("z", "kept for 5 seconds after"), Place.MISATTRIBUTED),
        (Quote("p", "not retry"), Place.NOT_FOUND),
        (Quote("p", ""), Place.NOT_FOUND),
    ],
)
def test_a_quotation_is_found_misattributed_or_not_found(quote, where):
    assert place(quote, PASSAGES) is where


@pytest.mark.spec("ENC-ASK-4")
@pytest.mark.parametrize(
    "text",
    [FIRST, "By default the client does not retry more than 3 times.", "The client does not retry more than 3 times."],
)
def test_what_the_passage_says_is_supported(text):
    assert verdict(text, FIRST) is Support.YES


@pytest.mark.spec("ENC-ASK-4")
@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The client does not retry more than 4 times by default.", FIRST),
        ("The client retries more than 3 times by default.", FIRST),
        ("The client retries more than 3 times by default.", "retry more than 3 times by default"),
        ("The client does not retry more than 3 times, says Fielding.", FIRST),
        ("Version 0.29 removed proxies.", "version 0.28 removed proxies"),
        ("Errors are retried with HTTPTransport2.", "retried with HTTPTransport(retries=1)"),
        ("The client never sleeps in a tidy house.", FIRST),
        ("See https://evil.example/retry for the client and more times.", FIRST),
        ("The client does not retry more than 3 times.", "connections are pooled and kept"),
    ],
)
def test_a_statement_has_nothing_of_its_own(text, quote):
    assert verdict(text, quote) is Support.NO


@pytest.mark.spec("ENC-ASK-4")
def test_who_does_what_to_whom_must_be_in_the_order_of_the_passage():
    quote = "Alice approves what Bob writes, and nobody merges alone."
    assert verdict("Alice approves what Bob writes, and nobody merges alone.", quote) is Support.YES
    assert verdict("Bob approves what Alice writes.", quote) is not Support.YES


@pytest.mark.spec("ENC-ASK-4")
def test_a_statement_without_a_quotation_is_not_supported():
    assert verify(Statement("The client waits."), PASSAGES).supported is Support.NO


@pytest.mark.spec("ENC-ASK-4")
@given(st.integers(0, 9), st.integers(10, 99))
def test_a_changed_number_never_passes(was, becomes):
    text = f"The pool keeps {was} connections open for each host that it knows."
    passages = {"p": Passage("p", "d", "Pool", text)}
    changed = Statement(text.replace(str(was), str(becomes)), (Quote("p", text),))
    assert verify(Statement(text, (Quote("p", text),)), passages).supported is Support.YES
    assert verify(changed, passages).supported is Support.NO
