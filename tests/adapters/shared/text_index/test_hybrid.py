from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.text_index import Passage, TextIndex, hybrid
from encyclopedia_adapters.shared.text_index.coverage import Coverage
from tests.adapters.shared.text_index.meanings import Meanings, no_progress

CODE = """
def load_rows(path, limit=None):
    rows = []
    for line in open(path):
        rows.append(parse_row(line))
        if limit and len(rows) >= limit:
            break
    return rows
"""
PROSE = "The rows are read from the file one after the other (at most as many as were asked for), and then given back."
EXAMPLES = """Call the function with a path. It gives back a list of rows, and stops early when it has as many as you asked for.
The path may be relative to the folder that the program was started in, as for all the other functions of this module.

    rows = load_rows("data.csv")

Lines that cannot be read are left out, and a warning tells how many there were. Nothing is kept open afterwards."""


def weight(text, *bodies):
    return hybrid.weigh(text, Coverage(text, 100, lambda _: 1), [({"title": ""}, body) for body in bodies])


@pytest.fixture
def embedder():
    return Meanings()


def indexed(folder, texts):
    index = TextIndex(str(folder / "index"))
    with index.update() as writer:
        for name, text in texts.items():
            writer.put(name, [Passage(name, name, "", text)])
    return index


@pytest.mark.spec("ENC-HYBRID-1")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (CODE, True),
        (PROSE, False),
        (EXAMPLES, False),
        ("", False),
        ("数据库的索引可以加快查询的速度", False),
        ("int f(x) { return g(x); }", True),
    ],
)
def test_code_is_told_from_prose(text, code):
    assert hybrid.is_code(text) is code


@pytest.mark.spec("ENC-HYBRID-1")
def test_words_weigh_half_of_prose_and_less_of_code():
    assert weight("read rows from a file", PROSE, PROSE) == hybrid.PROSE
    assert weight("read rows from a file", CODE, CODE) == hybrid.CODE
    assert weight("read rows from a file", PROSE, CODE) == pytest.approx((hybrid.PROSE + hybrid.CODE) / 2)
    assert weight("read rows from a file") == hybrid.PROSE


@pytest.mark.spec("ENC-HYBRID-1")
@pytest.mark.parametrize(
    "text", ["load_rows", "rows.loadAll", "HTTPServer", "3.11.2", "utf8", '"rows from files"', "数据库索引", "naïve"]
)
def test_words_that_mean_only_themselves_weigh_most(text):
    assert weight(text, CODE) == weight(text, PROSE) == pytest.approx(hybrid.EXACT)


def test_a_question_with_one_name_lies_between():
    assert hybrid.CODE < weight("where does load_rows stop", CODE) < hybrid.EXACT


@pytest.mark.spec("ENC-HYBRID-2")
def test_both_sides_bring_in_and_agreement_comes_first(tmp_path, embedder):
    index = indexed(
        tmp_path,
        {
            "words": "the car wash",
            "meaning": "a vehicle",
            "both": "an automobile, a car",
            "other": "an ocean",
            "more": "a tree",
        },
    )
    index.fill(embedder, no_progress)
    found = index.search("car", limit=3, embedder=embedder)
    assert found[0].id == "both" or found[0].id == "words"
    assert {match.id for match in found} == {"words", "meaning", "both"}
    assert all(0 <= match.score <= 1 for match in found)


@pytest.mark.spec("ENC-HYBRID-3")
def test_a_passage_without_a_vector_competes_by_its_words(tmp_path, embedder):
    index = indexed(tmp_path, {"old": "a car in the house", "sea": "an ocean"})
    index.fill(embedder, no_progress)
    with index.update() as writer:
        writer.put("new", [Passage("new", "new", "", "car car")])
    first = index.search("car", limit=3, embedder=embedder)[0]
    assert (first.id, first.near) == ("new", None)


@pytest.mark.spec("ENC-HYBRID-3")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.sampled_from(["car", "vehicle", "sea", "oak tree", "doctor car", "", "!"]), min_size=1, max_size=8),
    filled=st.integers(0, 8),
    question=st.sampled_from(["car", "physician", "oak", "nothing known", "", "!", '"doctor car"', "ca*"]),
)
def test_no_mixture_crashes_or_gives_a_passage_twice(tmp_path_factory, texts, filled, question):
    index = indexed(tmp_path_factory.mktemp("index"), {str(at): text for at, text in enumerate(texts[:filled])})
    embedder = Meanings()
    index.fill(embedder, no_progress)
    with index.update() as writer:
        for at, text in enumerate(texts):
            writer.put(str(at), [Passage(str(at), str(at), "", text)])
    found = index.search(question, limit=20, embedder=embedder)
    names = [match.id for match in found]
    assert len(names) == len(set(names)) <= len(texts)
    assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)
    lexical = {match.id for match in index.search(question, limit=20)}
    assert lexical <= set(names)


@pytest.mark.spec("ENC-HYBRID-4")
def test_a_question_that_nothing_is_near_to_finds_nothing(tmp_path, embedder):
    index = indexed(tmp_path, {"a": "a car", "b": "an ocean"})
    index.fill(embedder, no_progress)
    assert index.search("doctor", limit=5, embedder=embedder) == ()
    assert index.search("", limit=5, embedder=embedder) == ()
