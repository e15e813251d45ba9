"""Damages a file as a disk does: the bytes are others, and a map of the old ones stays whole."""

from __future__ import annotations

import os
from pathlib import Path


def put(path: Path, raw: bytes) -> None:
    """Give the file these bytes. A file cut in place would end every process that has it mapped, with a bus error."""
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(raw)
    os.replace(new, path)
