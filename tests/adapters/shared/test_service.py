import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError, Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia.ports import Context
from encyclopedia_adapters.shared.http import Answer
from encyclopedia_adapters.shared.service import hits, results, service, within, worded
from tests.adapters.contract.stand_ins import AGENT, Resources, request

BASE = "https://api.example.org/v1"


def made(**options):
    return service(Context("thing", "", AGENT, 5.0, Resources(), lambda _: "", options), BASE, {"X": "y"}, ("a", "b"))


@pytest.mark.spec("ENC-SERVICE-1")
def test_a_service_is_the_vendors_with_the_options_that_are_set():
    found = made(a=1, b="", c="other")
    assert (found.base, found.headers, found.options) == (BASE, {"X": "y"}, {"a": "1"})
    assert found.http is not None


@pytest.mark.spec("ENC-SERVICE-1")
def test_another_address_is_taken_without_its_last_slash():
    assert made(base_url="http://127.0.0.1:8080/api/").base == "http://127.0.0.1:8080/api"


@pytest.mark.spec("ENC-SERVICE-1")
@pytest.mark.parametrize("url", ["nothing", "file:///x", "https://user:secret@example.org", 7])
def test_an_address_that_cannot_be_asked_is_named(url):
    with pytest.raises(ConfigurationError, match=r"\[sources.thing\] base_url") as caught:
        made(base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.spec("ENC-SERVICE-2")
@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ({}, "retry policy"),
        ({"repository": "a/b"}, "a/b retry policy"),
        ({"version": "4.2"}, "retry policy 4.2"),
        ({"text": "retry in A/B 4.2", "repository": "a/b", "version": "4.2"}, "retry in A/B 4.2"),
        ({"text": "retry 4.2.1", "version": "4.2"}, "retry 4.2.1 4.2"),
    ],
)
def test_the_words_hold_repository_and_version_once(more, sent):
    assert worded(request(**{"text": "retry policy", **more})) == (sent, "")


@pytest.mark.spec("ENC-SERVICE-2")
@given(st.text(max_size=60), st.integers(1, 20), st.integers(1, 5))
def test_the_words_are_a_beginning_within_both_bounds_and_a_cut_is_told(text, chars, words):
    sent, note = worded(request(text), chars=chars, words=words)
    assert len(sent) <= chars
    assert len(sent.split()) <= words
    assert text.split()[: len(sent.split())][:-1] == sent.split()[:-1]
    assert bool(note) == (sent != text)


@pytest.mark.spec("ENC-SERVICE-2")
@given(st.integers(), st.integers(1, 100))
def test_a_service_is_never_asked_for_less_than_one_or_more_than_it_gives(limit, most):
    assert 1 <= within(limit, most) <= most


@pytest.mark.spec("ENC-SERVICE-3")
def test_the_list_is_where_the_path_leads():
    answer = Answer(200, {}, {"web": {"results": [1, 2]}})
    assert results("thing", answer, "web", "results") == [1, 2]
    assert results("thing", Answer(200, {}, [3])) == [3]
    assert results("thing", Answer(404, {}, None), "web", "results") == []
    for path in (("web",), ("web", "other"), ("web", "results", "more"), ()):
        with pytest.raises(Garbled, match="thing answered without a list"):
            results("thing", answer, *path)


def _read(element):
    return Hit(element["title"], content=element.get("content", ""))


@pytest.mark.spec("ENC-SERVICE-3")
def test_hits_are_cleaned_counted_after_cleaning_and_read_from_objects_only():
    elements = ["text", None, {"title": ""}, {"title": "a\x1b[31m", "content": "<b>x</b>"}, {"title": "b"}, {"title": "c"}]
    assert hits(elements, 2, _read) == (Hit("a", content="<b>x</b>"), Hit("b"))
    assert hits(elements, 1, _read, markup="html") == (Hit("a", content="x"),)
    assert hits(elements, 0, _read) == ()
