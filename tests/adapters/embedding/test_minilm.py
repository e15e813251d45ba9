from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.embedding.forward import Linear, _gelu, _normalise
from encyclopedia_adapters.embedding.minilm import MANY, TOKENS, MiniLM, _batches
from encyclopedia_adapters.embedding.wordpiece import LONGEST, MOST, readable

REFERENCE = json.loads((Path(__file__).parents[2] / "fixtures" / "embedding" / "vectors.json").read_text(encoding="utf-8"))
WORDLESS = ["", " \t\n", "\x00", "\x07\x01", "\u200b", "\ufffd"]
ANY = [
    "\ud800",
    "a\udfffb",
    "x" * 1_000_000,
    "word " * 200_000,
    "\x00a\x00",
    "ไทยไม่มีช่องว่าง",
    "שלום",
    "👩‍👩‍👧",
    "e\u0301",
    "．１２",
]


@pytest.mark.spec("ENC-EMBED-1")
@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: row["text"][:20])
def test_a_vector_is_that_of_sentence_transformers(minilm: MiniLM, row: dict[str, object]) -> None:
    (found,) = minilm.embed([str(row["text"])])
    assert np.abs(found - np.array(row["vector"], np.float32)).max() < 1e-5


@pytest.mark.spec("ENC-EMBED-1")
def test_the_activation_is_that_with_the_real_distribution_function() -> None:
    x = np.concatenate([np.linspace(-12, 12, 100_001), [0.0, -0.0, 1e-30, -1e15, 1e15]]).astype(np.float32)
    wanted = [0.5 * value * math.erfc(-value / math.sqrt(2)) for value in x.astype(float)]
    found = x.copy()
    _gelu(found)
    assert np.allclose(found, wanted, rtol=1e-6, atol=5e-7)


@pytest.mark.spec("ENC-EMBED-1")
def test_a_column_of_equal_numbers_is_normalised_to_the_bias() -> None:
    states = np.full((384, 2), 7.0, np.float32)
    _normalise(states, Linear(np.full((384, 1), 3.0, np.float32), np.full((384, 1), 0.5, np.float32)))
    assert np.array_equal(states, np.full((384, 2), 0.5))


@pytest.mark.spec("ENC-EMBED-2")
@pytest.mark.parametrize("text", WORDLESS)
def test_what_has_no_words_has_a_zero_row(minilm: MiniLM, text: str) -> None:
    rows = minilm.embed(["words", text])
    assert not rows[1].any()
    assert rows[0].any()


@pytest.mark.spec("ENC-EMBED-2")
@pytest.mark.parametrize("text", ANY, ids=lambda text: ascii(text[:8]))
def test_any_text_has_a_row_of_length_one(minilm: MiniLM, text: str) -> None:
    rows = minilm.embed([text])
    assert (rows.shape, rows.dtype) == ((1, 384), np.float32)
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-5)


@pytest.mark.spec("ENC-EMBED-2")
@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=()), max_size=60), max_size=5))
def test_rows_are_finite_and_of_length_one_or_zero(minilm: MiniLM, texts: list[str]) -> None:
    rows = minilm.embed(texts)
    assert rows.shape == (len(texts), 384)
    assert all(norm == 0 or norm == pytest.approx(1, abs=1e-5) for norm in np.linalg.norm(rows, axis=1))


@pytest.mark.spec("ENC-EMBED-3")
def test_a_vector_does_not_depend_on_the_company(minilm: MiniLM) -> None:
    texts = [str(row["text"]) for row in REFERENCE] + WORDLESS
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    turned = minilm.embed(texts[::-1])[::-1]
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(together - turned).max() < 1e-5


@pytest.mark.spec("ENC-EMBED-3")
@given(st.lists(st.integers(0, 256), max_size=60))
def test_each_text_with_tokens_is_in_one_batch_of_bounded_size(lengths: list[int]) -> None:
    ids = [[0] * length for length in lengths]
    batches = list(_batches(ids))
    assert sorted(number for batch in batches for number in batch) == [
        number for number, length in enumerate(lengths) if length
    ]
    assert all(sum(lengths[number] for number in batch) <= TOKENS for batch in batches)


@pytest.mark.spec("ENC-EMBED-3")
def test_many_texts_that_are_shared_out_have_the_rows_of_each_alone(minilm: MiniLM) -> None:
    texts = [f"passage {number} " + "of some words " * (5 * number) for number in range(25)]
    assert len(list(_batches(minilm._pieces.ids(texts)))) >= MANY
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert np.abs(minilm.embed(texts) - alone).max() < 1e-5


@pytest.mark.spec("ENC-EMBED-4")
def test_what_stands_after_the_last_token_that_counts_changes_nothing(minilm: MiniLM) -> None:
    head = "key " * (MOST - 2)
    assert np.array_equal(minilm.embed([head]), minilm.embed([head + "something else"]))
    assert np.abs(minilm.embed([head]) - minilm.embed(["key " * (MOST - 3) + "something"])).max() > 1e-4


@pytest.mark.spec("ENC-EMBED-4")
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=50))
def test_what_is_read_is_unicode_and_bounded(text: str) -> None:
    assert readable(text).encode("utf-8").decode("utf-8") == readable(text)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert readable(text) == text
    assert len(readable(text + "x" * LONGEST)) == LONGEST


@pytest.mark.spec("ENC-EMBED-3")
def test_threads_at_once_get_what_one_gets(minilm: MiniLM) -> None:
    from concurrent.futures import ThreadPoolExecutor

    texts = [str(row["text"]) for row in REFERENCE]
    alone = [minilm.embed([text]) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: minilm.embed([text]), texts))
    assert all(np.array_equal(one, other) for one, other in zip(alone, found, strict=True))
