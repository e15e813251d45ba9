"""An entry as one text, and nothing else taken for one."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, pack, unpack

entries = st.builds(
    CacheEntry,
    st.text(),
    st.sampled_from(QueryType),
    st.text(),
    st.text(),
    st.floats(0, 1e12, allow_nan=False, allow_infinity=False),
)


@pytest.mark.spec("ENC-CACHE-10")
@given(entries)
def test_there_and_back(entry):
    assert unpack(pack(entry)) == entry


@pytest.mark.spec("ENC-CACHE-10")
@given(entries, st.data())
def test_one_changed_character_is_noticed(entry, data):
    text = pack(entry)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters().filter(lambda c: c != text[place]))
    with pytest.raises(CorruptRowError):
        unpack(text[:place] + other + text[place + 1 :])


@pytest.mark.parametrize("text", [None, 7, b"bytes", "", "00000000", "text", pickle.dumps("x")])
def test_what_is_no_entry_is_refused(text):
    with pytest.raises(CorruptRowError):
        unpack(text)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"key": 1, "type": "repository", "query": "q", "stored_at": 1}',
        '{"key": "k", "type": "x"}',
        "[" * 100_000,
    ],
)
def test_a_right_checksum_is_not_enough(line):
    from zlib import crc32

    text = f"{line}\nbody"
    with pytest.raises(CorruptRowError):
        unpack(f"{crc32(text.encode()):08x}{text}")
