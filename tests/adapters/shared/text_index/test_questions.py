from __future__ import annotations

import pytest

from encyclopedia_adapters.shared.text_index import Passage, TextIndex


@pytest.fixture
def index(tmp_path):
    index = TextIndex(str(tmp_path / "index"))
    texts = {
        "a": "class ConnectionPool keeps connections open",
        "b": "a connector for the database",
        "c": "disconnect from the server at the end",
        "d": "parse_json_lines reads a file; see json.loads",
        "e": "the of and the of the the of a the",
        "f": "return the value",
    }
    with index.update() as writer:
        for name, text in texts.items():
            writer.put(name, [Passage(name, name, "", text)])
    return index


def found(index, text):
    return sorted(match.id for match in index.search(text, limit=9))


@pytest.mark.spec("ENC-INDEX-12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("connec*", ["a", "b"]),
        ("Connec*", ["a", "b"]),
        ("connection*", ["a"]),
        ("parse_js*", ["d"]),
        ("json.lo*", ["d"]),
        ("zz*", []),
        ("ConnectionPo*", ["a"]),
    ],
)
def test_a_star_stands_for_the_rest_of_a_word(index, text, expected):
    assert found(index, text) == expected


@pytest.mark.parametrize(
    "text", ["*", "**", "* *", "a*", "*end", "2*3", "x**y", "***bold***", "é*", "日*", '"a*"', "\0*", "." * 99 + "*"]
)
def test_odd_stars_are_no_error(index, text):
    assert isinstance(found(index, text), list)


def test_what_a_star_finds_counts_once_however_many_words_begin_so(index):
    plain, star = (index.search(text, limit=1)[0].score for text in ("connector", "connect*"))
    assert star < 3 * plain


@pytest.mark.spec("ENC-INDEX-13")
def test_stop_words_count_little(index):
    assert [match.id for match in index.search("what is the value of the", limit=2)] == ["f", "e"]
    assert found(index, "the")[0] == "b"
