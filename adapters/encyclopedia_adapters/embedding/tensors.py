"""Reads a file of safetensors: a header in JSON, then the numbers, mapped into memory where they lie."""

from __future__ import annotations

import json
import mmap
from math import prod
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.private_files import plain_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = 8
_MOST_HEADER = 10_000_000


def tensors(path: str) -> dict[str, NDArray[np.float32]]:
    """``{name: read-only array}`` of the float32 tensors; nothing is read before it is used.

    Raises ``OSError`` for a file that cannot be read, ``ValueError`` for one that is not what it should be.
    """
    import numpy as np

    with open(plain_file(path), "rb") as file:
        raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start, header = _header(raw)
    found = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        (begin, end), shape = entry["data_offsets"], entry["shape"]
        count = prod(shape)
        if not 0 <= begin <= end <= len(raw) - start or end - begin != 4 * count:
            raise ValueError(f"the tensor {name} does not lie within its file")
        found[name] = np.frombuffer(raw, dtype="<f4", count=count, offset=start + begin).reshape(shape)
    return found


def _header(raw: mmap.mmap) -> tuple[int, dict[str, dict[str, Any]]]:
    """Where the numbers begin, and what they are."""
    length = int.from_bytes(raw[:_WORD], "little")
    if length > min(_MOST_HEADER, len(raw) - _WORD):
        raise ValueError("the header does not lie within its file")
    header = json.loads(raw[_WORD : _WORD + length])
    if not isinstance(header, dict):
        raise ValueError("the header is not a table")  # noqa: TRY004 - as everything else that is wrong with a file
    return _WORD + length, header
