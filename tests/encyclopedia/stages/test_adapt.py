from __future__ import annotations

import pytest
from hypothesis import given

from encyclopedia.model.errors import UsageError
from encyclopedia.model.query import Form, QueryType
from encyclopedia.model.vocabulary import Vocabulary
from encyclopedia.stages.adapt import FRAMES, adapt
from tests.prepared import TEXTS, adapted, classified, table


@pytest.mark.spec("ENC-ADAPT-1")
@pytest.mark.parametrize("row", table("adapt.txt"), ids=lambda row: ascii(row[0])[:60])
def test_table(row: list[str]) -> None:
    query, keyword, asked, library = row
    question = adapted(query)
    assert question.wording(Form.KEYWORD) == keyword
    assert question.wording(Form.QUESTION) == asked
    assert question.wording(Form.LIBRARY) == library
    assert question.wording(Form.RAW) == question.text


@pytest.mark.spec("ENC-ADAPT-1")
@pytest.mark.parametrize(
    "text",
    ["why is the sky blue", "Can I cache this", "what's new", "limits of pods?", "限制是什么？", "compare flask with django"],
)
def test_a_question_stays_as_it_is(text: str) -> None:
    assert adapted(text).wording(Form.QUESTION) == text


@pytest.mark.spec("ENC-ADAPT-1")
@pytest.mark.parametrize("type", list(QueryType))
def test_each_type_has_its_question(type: QueryType) -> None:
    assert adapted("pod limits", type=type).wording(Form.QUESTION) == FRAMES[type].format("pod limits")
    assert adapted("a {} b", type=type).wording(Form.QUESTION) == FRAMES[type].format("a {} b")


@pytest.mark.spec("ENC-ADAPT-2")
def test_corrections_never_reach_exact_matching() -> None:
    question = adapted("kuberntes pods")
    assert question.wording(Form.RAW) == "kuberntes pods"
    assert all("kubernetes" in question.wording(form) for form in Form if form is not Form.RAW)


@pytest.mark.spec("ENC-ADAPT-3")
@given(TEXTS)
def test_every_token_is_in_every_wording_in_order(text: str) -> None:
    try:
        question = adapted(text)
    except UsageError:
        return
    assert [wording.form for wording in question.wordings] == list(Form)
    for wording in question.wordings:
        at = 0
        for token in question.tokens:
            at = wording.text.index(token.text, at) + len(token.text)
    if not question.corrections:
        assert question.wording(Form.KEYWORD) == question.text
        assert question.text in question.wording(Form.QUESTION)


@pytest.mark.spec("ENC-ADAPT-3")
@given(TEXTS)
def test_only_the_wordings_change(text: str) -> None:
    try:
        before = classified(text)
    except UsageError:
        return
    assert adapt(before, vocabulary=Vocabulary())._replace(wordings=()) == before
