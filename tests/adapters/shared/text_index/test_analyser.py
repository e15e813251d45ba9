from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.shared.text_index import analyser

TABLE = Path(__file__).parents[3] / "fixtures" / "analyser.txt"


def rows():
    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        text, _, expected = line.partition(" =>")
        yield text, expected.strip()


def terms(text):
    return analyser.terms(analyser.split(text)).split()


@pytest.mark.spec("ENC-INDEX-1")
@pytest.mark.parametrize(("text", "expected"), list(rows()))
def test_a_text_becomes_these_terms(text, expected):
    assert " ".join(terms(text)) == expected


@pytest.mark.spec("ENC-INDEX-1")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("clienttimeout", "aiohttp.ClientTimeout"),
        ("client timeout", "ClientTimeout(total=5)"),
        ("aiohttp.ClientTimeout", "aiohttp.ClientTimeout(total=5)"),
        ("cafe", "the café"),
        ("CAFÉ", "the cafe\u0301"),
        ("running", "it runs"),
        ("検索", "日本語の検索"),
        ("http", "HTTP/2"),
        ("python 3.11", "Python 3.11.4"),
        ("c++", "written in C++17"),
        ("Ａｉｏ", "aio"),
        ("init", "__init__"),
    ],
)
def test_question_and_text_meet(question, text):
    assert set(terms(question)) & set(terms(text))


@pytest.mark.spec("ENC-INDEX-1")
@pytest.mark.parametrize(("question", "text"), [("c++", "c"), ("c#", "c"), ("3.12", "3.11.4"), ("java", "javascript")])
def test_question_and_text_do_not_meet(question, text):
    assert not set(terms(question)) & set(terms(text))


def test_equal_words_count_as_often_as_they_occur():
    assert terms("retry retry Retry") == ["retri"] * 3


def test_the_whole_identifier_comes_before_its_parts_so_that_phrases_hold():
    found = terms("use aiohttp.ClientTimeout here")
    assert found[found.index("client") + 1] == "timeout"
    assert found[-2:] == ["timeout", "here"]


@pytest.mark.parametrize("blob", ["a" * 1_000_000, "aB1" * 300_000, "é" * 200_000, "a." * 300_000])
def test_a_blob_gives_few_and_short_terms(blob):
    found = terms(f"{blob} word")
    assert found[-1] == "word"
    assert len(found) < 400
    assert max(map(len, found)) <= analyser.LONGEST


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800", "a\ud800b", "\U0010ffff", "\x1b[31m", "\u202e", "++", ".", "#", "._."]
)
def test_odd_text_is_no_trouble(text):
    assert all(term and not term.isspace() for term in terms(text))


@given(st.text())
def test_any_text_gives_terms_without_spaces_in_them(text):
    found = terms(text)
    assert all(len(term) <= 2 * analyser.LONGEST and not set(term) & set(" \t\n\r\f\v") for term in found)
    assert found == terms(text)


@given(st.text(alphabet="aB1._-+# é検", max_size=30), st.text(alphabet="aB1._-+# é検", max_size=30))
def test_texts_that_are_put_together_keep_their_terms(first, second):
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True))
def test_every_identifier_is_also_there_whole(name):
    assert analyser.stem(analyser.fold(name)) in terms(f"x = {name}(y)")


def test_folding_is_stable():
    assert analyser.fold("ＳＴＲＡẞＥ") == analyser.fold("strasse") == "strasse"
    assert analyser.fold("ﬃ") == "ffi"
    assert len(analyser.fold("x" * 1000)) == analyser.LONGEST


def test_threads_may_share_the_stemmer():
    words = [f"{stem}{end}" for stem in ("connect", "relat", "oper") for end in ("ing", "ion", "ions", "ed", "ional")] * 50
    texts = [" ".join(words[at:]) for at in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(terms, texts)) == [terms(text) for text in texts]


@pytest.mark.spec("ENC-INDEX-9")
def test_importing_brings_in_nothing_heavy():
    code = (
        "import sys, encyclopedia_adapters.shared.text_index.analyser, encyclopedia_adapters.shared.text_index;"
        "print([m for m in ('tantivy', 'Stemmer', 'asyncio', 'pathlib', 'logging', 'hashlib', 'shutil') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
