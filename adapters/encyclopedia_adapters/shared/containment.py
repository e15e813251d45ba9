"""Whether a place on disk lies in a folder: asked wherever a path that somebody else chose is opened."""

from __future__ import annotations

import os


def within(root: str, path: str) -> bool:
    """Whether a path lies in ``root`` or is it; both must be resolved, as ``os.path.realpath`` does."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
