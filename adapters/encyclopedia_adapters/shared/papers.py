"""What the sources of scholarly papers share: addresses by identifier, a line that says who wrote it, dates in parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from encyclopedia_adapters.shared.hits import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

NAMED = 3
_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def doi_url(doi: object) -> str:
    """The address at doi.org of a DOI in any of its written forms; empty if it is none."""
    name = _PREFIX.sub("", as_text(doi).strip(), count=1)
    known = re.fullmatch(r"10\.\d{4,9}(?:\.\d+)*/\S+", name, re.ASCII) is not None
    return f"https://doi.org/{quote(name, safe='/:;().-_~', errors='replace')}" if known else ""


def citation(authors: Iterable[object], venue: object = "", year: object = "") -> str:
    """``A. Example, B. Example and 4 more, Journal of Examples, 2026``: as much of it as is known."""
    names = [name for author in authors if (name := as_text(author).strip())]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    people = " and ".join((", ".join(names[:NAMED]), *more)) if names else ""
    return ", ".join(part for part in (people, as_text(venue), as_text(year)) if part)


def members(value: object, field: str) -> list[object]:
    """What stands at ``field`` in each object of a list; nothing for anything else."""
    return [element.get(field) for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def date_of_parts(parts: object) -> tuple[str, str]:
    """The ISO date of ``{"date-parts": [[2026, 1, 2]]}``, empty unless it is a whole one, and the year."""
    first = parts.get("date-parts") if isinstance(parts, dict) else None
    numbers = first[0] if isinstance(first, list) and first and isinstance(first[0], list) else []
    if not numbers or not all(isinstance(number, int) and 0 < number < 10_000 for number in numbers):  # noqa: PLR2004 - the last year
        return "", ""
    return "-".join(f"{number:02}" for number in numbers) if len(numbers) == len("ymd") else "", str(numbers[0])
