from __future__ import annotations

import pytest
from hypothesis import given

from encyclopedia.model.errors import EncyclopediaError, UsageError
from encyclopedia.model.query import Query, QueryType
from encyclopedia.stages.classify import classify
from encyclopedia.stages.credentials import without_credentials
from tests.prepared import TEXTS, classified, nothing, table


def plainly(text: str, *, max_chars: int = 100, **options: object) -> object:
    return classify(Query(text, **options), libraries=nothing, english=frozenset(), max_chars=max_chars)


@pytest.mark.spec("ENC-CLASSIFY-1")
@pytest.mark.parametrize("row", table("classify.txt"), ids=lambda row: ascii(row[0])[:60])
def test_table(row: list[str]) -> None:
    query, type, rule, text, repository, library, unsure = row
    question = classified(query)
    assert [question.type, question.rule, question.text, question.repository, question.library] == [
        type,
        rule,
        text,
        repository,
        library,
    ]
    assert question.unsure == (unsure == "yes")
    assert question.query.text == query


@pytest.mark.spec("ENC-CLASSIFY-2")
@pytest.mark.parametrize("type", list(QueryType))
def test_the_option_goes_before_every_rule(type: QueryType) -> None:
    for text in ("doc: latest x", "repo:a/b", "https://example.org", "class Foo", "latest news 2024", "words"):
        question = classified(text, type=type)
        assert (question.type, question.rule, question.unsure) == (type, "type option", False)
    assert classified("doc: latest x", type=type).text == "latest x"
    assert classified("repo:a/b", type=type).repository == "a/b"


@pytest.mark.spec("ENC-CLASSIFY-2")
def test_a_repository_question_may_start_with_the_bare_name() -> None:
    assert classified("pallets/flask", type=QueryType.REPOSITORY).repository == "pallets/flask"
    assert classified("how does flask work", type=QueryType.REPOSITORY).repository == ""
    assert classified("pallets/flask routes").repository == ""


@pytest.mark.spec("ENC-CLASSIFY-3")
@pytest.mark.parametrize(
    "text",
    [
        *("repo:..", "repo:../..", "repo:a/..", "repo:../b", "repo:a/b/../c", "repo:a/b..c", "repo:a/b/c", "repo:/a/b"),
        *("repo:-a/b", "repo:a/-b", "repo:--upload-pack=x/y", "repo:a/.", "repo:a/", "repo:/b", "repo:a", "repo:a/.git"),
        *("repo: a/b", "repo:a b/c", "repo:a/b;rm", "repo:a/$(id)", "repo:a/b|c", "repo:https://github.com/a/b", "repo:a\\b"),
        *("repo:a/na\x00me", "repo:a/b\x1b[31m", "repo:a/\u202eb", "repo:a/b\x1f", "repo:a/ü", "repo:a/b\ud800", "repo:~/b"),
        "explain repo:a/../../etc please",
        "doc: repo:../x",
        "repo:" + "a" * 5000 + "/b",
    ],
)
def test_a_repo_that_names_no_repository_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        classified(text)
    assert "repo:owner/name" in caught.value.hint
    assert len(caught.value.message) < 200
    assert caught.value.message.isprintable()


@pytest.mark.spec("ENC-CLASSIFY-3")
def test_two_repositories_are_one_too_many() -> None:
    with pytest.raises(UsageError, match="one repository") as caught:
        classified("repo:a/b repo:c/d compare")
    assert "repo:a/b" in caught.value.hint


@pytest.mark.spec("ENC-CLASSIFY-4")
@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\x00", "\x1b[0m", "\u200b\ufeff", "\ud800", "\u2003"])
def test_an_empty_query_is_an_error_with_a_remedy(text: str) -> None:
    with pytest.raises(UsageError, match="empty") as caught:
        classified(text)
    assert caught.value.hint
    assert caught.value.code == 64


@pytest.mark.spec("ENC-CLASSIFY-4")
def test_what_was_removed_is_said() -> None:
    question = classified("  kuber\x00netes \x1b[31m pod\n\tlimits ")
    assert question.text == question.query.text == "kubernetes pod limits"
    assert question.notes == ("control and other invisible characters were removed from the query",)
    assert classified("kubernetes\npod").notes == ()


@pytest.mark.spec("ENC-CLASSIFY-4")
def test_a_long_query_is_cut_with_a_note() -> None:
    question = plainly("word " * 200_000)
    assert len(question.text) <= 100
    assert question.notes == ("the query was cut to 100 of its 999999 characters",)
    assert plainly("x" * 100).notes == ()
    # Composing may lengthen: U+0958 is two characters in composed form.
    assert len(plainly("\u0958" * 90).text) == 100


@pytest.mark.spec("ENC-CLASSIFY-4")
@pytest.mark.parametrize("text", ["what is the", "The", "how to", "???"])
def test_a_query_without_content_is_searched_as_it_is(text: str) -> None:
    question = classified(text)
    assert question.text == text
    assert question.notes == ("the query has no words with content: it is searched as it is",)
    assert question.library == ""


@pytest.mark.spec("ENC-CLASSIFY-5")
def test_the_spelling_stays_and_is_composed() -> None:
    assert classified('What is "FastAPI" `Depends`?').text == 'What is "FastAPI" `Depends`?'
    assert classified("cafe\u0301").text == "café"


@pytest.mark.spec("ENC-CLASSIFY-5")
def test_a_defined_name_is_protected() -> None:
    tokens = classified("def kuberntes and kuberntes").tokens
    assert [(token.text, token.protected) for token in tokens] == [
        ("def", False),
        ("kuberntes", True),
        ("and", False),
        ("kuberntes", False),
    ]


@pytest.mark.spec("ENC-CLASSIFY-6")
def test_a_sure_library_goes_before_a_doubtful_and_a_whole_word_before_a_root() -> None:
    known = frozenset({"rich", "django", "numpy", "scikit-learn"}).__contains__

    def library(text: str) -> tuple[str, bool]:
        question = classify(Query(text), libraries=known, english=frozenset({"rich"}), max_chars=100)
        return question.library, question.unsure

    assert library("rich django") == ("django", False)
    assert library("numpy.asarray django") == ("django", False)
    assert library("rich numpy.asarray") == ("numpy", False)
    assert library("Scikit_Learn") == ("scikit-learn", False)
    assert library("rich text") == ("rich", True)
    assert library("doc: rich text") == ("rich", False)
    assert library("text") == ("", True)


@pytest.mark.spec("ENC-CLASSIFY-7")
@given(TEXTS)
def test_no_text_crashes(text: str) -> None:
    try:
        question = classified(text)
    except EncyclopediaError as error:
        assert isinstance(error, UsageError)
        error.message.encode()
        return
    assert question.text == question.text.strip() != ""
    question.query.text.encode()
    assert all(token.text == question.text[token.start : token.end] for token in question.tokens)
    assert question.unsure <= (question.rule == "default")
    assert ".." not in question.repository


@pytest.mark.spec("ENC-CLASSIFY-7")
@given(TEXTS)
def test_classifying_is_repeatable(text: str) -> None:
    try:
        first = classified(text)
    except UsageError:
        return
    assert classified(text) == first
    assert classified(first.query.text).type == first.type


@pytest.mark.spec("ENC-CLASSIFY-8")
@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("clone https://me:pass@word@host.example/x?a=b@c fails", "clone https://host.example/x?a=b@c fails"),
        ("https://ghp_0123@github.com/a/b", "https://github.com/a/b"),
        ("postgres://u:p@db:5432/x and https://a@https://b@c", "postgres://db:5432/x and https://https://c"),
        ("http\u200b://u:p@host", "http://host"),
        ("git+ssh://git@github.com/a/b", "git+ssh://git@github.com/a/b"),
        ("https://git@github.com/a/b postgres://user@host/db", "https://git@github.com/a/b postgres://user@host/db"),
        ("mail me@host.example or see https://host/@me", "mail me@host.example or see https://host/@me"),
    ],
)
def test_credentials_in_an_address_are_not_kept(typed: str, kept: str) -> None:
    question = classified(typed)
    assert (question.text, question.query.text) == (kept, kept)
    note = "credentials in an address were removed from the query"
    assert (note in question.notes) == (typed.count("@") != kept.count("@"))


@pytest.mark.spec("ENC-CLASSIFY-8")
def test_looking_for_credentials_takes_no_longer_for_odd_texts() -> None:
    for part in ("a.", "a://", "@", "a://b"):
        text = part * (1_000_000 // len(part)) + "://@"
        assert without_credentials(text, "").count(" ") == 0
