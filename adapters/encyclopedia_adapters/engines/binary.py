"""Bytes and vectors as engines that speak JSON take them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any


def packed(raw: bytes) -> str:
    """Bytes as text."""
    return b64encode(raw).decode()


def unpacked(told: str) -> bytes:
    """The bytes again."""
    return b64decode(told)


def numbers(vector: Any) -> list[float]:
    """A vector as it is sent: nine digits are enough to come back bit for bit."""
    return [float(f"{value:.9g}") for value in vector.tolist()]
