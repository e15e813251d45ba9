"""diskcache with our disk: no pickle is read or written, no file touched."""

from __future__ import annotations

import pytest

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, pack
from encyclopedia_adapters.storage.json_disk import JsonDisk

ENTRY = CacheEntry("k", QueryType.REPOSITORY, "q", "body", 1.0)


@pytest.fixture
def disk(tmp_path):
    return JsonDisk(str(tmp_path))


def test_keys_are_text(disk):
    assert disk.put("k") == ("k", True)
    assert disk.get("k", True) == "k"
    for key in (b"k", 1, ("k",)):
        with pytest.raises(TypeError):
            disk.put(key)


@pytest.mark.spec("ENC-CACHE-11")
@pytest.mark.parametrize(("key", "raw"), [("k", False), (b"\x80\x04K\x01.", False), (b"k", True), (1, True)])
def test_other_keys_are_not_looked_into(disk, key, raw):
    with pytest.raises(CorruptRowError):
        disk.get(key, raw)


def test_values_are_text_in_the_database(disk):
    assert disk.store(ENTRY, False) == (0, 1, None, pack(ENTRY))
    assert disk.fetch(1, None, pack(ENTRY), False) == ENTRY
    with pytest.raises(TypeError):
        disk.store({"k": 1}, False)


@pytest.mark.spec("ENC-CACHE-11")
@pytest.mark.parametrize(
    ("mode", "filename", "value"),
    [(4, None, b"\x80\x04K\x01."), (2, "x.val", None), (1, "x.val", pack(ENTRY)), (1, None, b"x")],
)
def test_other_values_are_not_looked_into(disk, mode, filename, value):
    with pytest.raises(CorruptRowError):
        disk.fetch(mode, filename, value, False)


@pytest.mark.spec("ENC-CACHE-11")
def test_no_file_is_made_or_removed(disk, tmp_path):
    (tmp_path / "mine").write_text("x")
    disk.remove("mine")
    disk.remove("../mine")
    assert (tmp_path / "mine").exists()
    with pytest.raises(TypeError):
        disk.filename()
