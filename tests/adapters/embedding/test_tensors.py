from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.embedding.tensors import tensors

SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple)


def file(path: Path, header: object, data: bytes, length: int | None = None) -> str:
    raw = json.dumps(header).encode()
    path.write_bytes((len(raw) if length is None else length).to_bytes(8, "little") + raw + data)
    return str(path)


def entry(begin: int, end: int, *shape: int, dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.mark.spec("ENC-EMBED-8")
@given(st.dictionaries(st.text(min_size=1, max_size=5), SHAPES, max_size=4))
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, shapes: dict[str, tuple[int, ...]]) -> None:
    header, data, wanted = {"__metadata__": {"format": "pt"}}, b"", {}
    for seed, (name, shape) in enumerate(shapes.items()):
        array = np.random.default_rng(seed).standard_normal(shape).astype("<f4")
        header[name] = entry(len(data), len(data) + array.nbytes, *shape)
        data += array.tobytes()
        wanted[name] = array
    found = tensors(file(tmp_path_factory.mktemp("t") / "a", header, data))
    assert found.keys() == wanted.keys() - {"__metadata__"}
    assert all(np.array_equal(found[name], array) for name, array in wanted.items() if name != "__metadata__")


@pytest.mark.spec("ENC-EMBED-8")
def test_tensors_of_other_types_are_left_out(tmp_path: Path) -> None:
    assert tensors(file(tmp_path / "a", {"ids": entry(0, 8, 1, dtype="I64")}, bytes(8))) == {}


@pytest.mark.spec("ENC-EMBED-8")
@pytest.mark.parametrize(
    ("header", "length"),
    [
        ({"a": entry(0, 8, 1)}, None),
        ({"a": entry(0, 400, 100)}, None),
        ({"a": entry(-4, 0, 1)}, None),
        ({"a": entry(4, 0, -1)}, None),
        ({}, 2**63),
        ({}, 1_000_000),
        ([], None),
        ({"a": entry(0, 4, 1)}, 5),
    ],
)
def test_what_does_not_lie_within_the_file_is_refused(tmp_path: Path, header: object, length: int | None) -> None:
    with pytest.raises(ValueError):
        tensors(file(tmp_path / "a", header, bytes(8), length))


@pytest.mark.spec("ENC-EMBED-8")
def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(ValueError):
        tensors(str(tmp_path / "a"))
