"""What a decision record says of itself: its status and its date, in front matter or in the forms of Nygard and MADR."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.hits import clean_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia_adapters.local.markdown import Note

WORDS = (
    "proposed", "draft", "pending", "accepted", "approved", "implemented", "amended",
    "rejected", "withdrawn", "deprecated", "superseded", "replaced",
)  # fmt: skip
OUTDATED = ("superseded", "replaced", "deprecated", "rejected", "withdrawn")
"""Words for a decision that holds no longer, or never did."""
_DATES = ("date", "published", "created", "date created", "created_at")
_TOP = 12


class Record(NamedTuple):
    """``status`` is one word or a few joined by dashes, ``date`` ISO 8601; both may be empty."""

    status: str = ""
    date: str = ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The status as a tag, and that it lies under."""
        return (f"status/{self.status}", "status") if self.status else ()


@cache
def _field() -> re.Pattern[str]:
    return re.compile(r"[ \t]*[-*+]?[ \t]*\**(status|date)\**[ \t]*:\**[ \t]*(.{1,200})", re.IGNORECASE)


def record(note: Note) -> Record:
    """The record of a note; a note that is no decision may have both as well."""
    fields = dict(_fields(note))
    given = _first(note.properties, ("status",))
    status = _status(given, any_word=True) or _status(_under_heading(note)) or _status(fields.get("status", ""))
    date = clean_date(_first(note.properties, _DATES)) or clean_date(fields.get("date", ""))
    return Record(status, date)


def _first(properties: Mapping[str, Sequence[str]], names: tuple[str, ...]) -> str:
    values = (value for name in names for value in properties.get(name, ()))
    return next(filter(None, values), "")


def _status(text: str, *, any_word: bool = False) -> str:
    """The status that a text begins with; a placeholder with choices is none."""
    words: list[str] = re.findall(r"[^\W\d_]+", text.lower().partition("\n")[0])
    if not words or any(mark in text for mark in "|{}<>"):
        return ""
    if words[0] in WORDS:
        return words[0]
    return "-".join(words[:3]) if any_word and len(words) <= 3 else ""  # noqa: PLR2004 - more is a sentence


def _under_heading(note: Note) -> str:
    """The first line under a heading ``Status``."""
    for chunk in note.chunks:
        if chunk.headings and chunk.headings[-1].strip().lower() == "status":
            return next((line for line in chunk.text.split("\n") if line.strip()), "")
    return ""


def _fields(note: Note) -> Iterator[tuple[str, str]]:
    """Lines ``Date: …`` and ``* Status: …`` before the first section."""
    for chunk in note.chunks[:2]:
        for line in chunk.text.split("\n")[:_TOP] if len(chunk.headings) <= 1 else ():
            if match := _field().match(line):
                yield match[1].lower(), match[2].strip()
