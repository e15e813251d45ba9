"""Whether what is here is the version that was asked for."""

from __future__ import annotations


def version_fits(asked: str, here: str) -> bool:
    """Whether ``here`` is the version asked for, or a later digit of it: ``3.14`` asks for 3.14.5 too, not for 3.1."""
    wanted, found = asked.strip().lower().lstrip("v="), here.strip().lower().lstrip("v=")
    return not wanted or found == wanted or found.startswith(f"{wanted}.")
