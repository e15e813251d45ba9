"""What decides where in space a text lies, in short; by it vectors of one model are told from those of another."""

from __future__ import annotations

_DIGITS = 16


def fingerprint(sha256: str, pooling: str, most: int) -> str:
    """Of the weights by their SHA-256, the pooling and the tokens that count; every vector of ours has length 1."""
    return f"{sha256[:_DIGITS]}-{pooling}-l2-{most}"
