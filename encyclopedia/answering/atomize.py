"""A draft cut into atomic statements, each of one fact that can be checked without reading the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia.answering.sentences import sentences
from encyclopedia.answering.words import content

if TYPE_CHECKING:
    from encyclopedia.model.answer import Statement

_FEWEST = 2
"""Content words of what can be a claim."""
_SEAM = (
    r";\s+|,?\s+(?:but|while|whereas|although)\s+|,\s+(?:which|who)\s+(?:also\s+)?(?=[^,]*$)|,\s+and\s+(?=(?:it|they|this|these|the|an?)\b)"
    r"|\.\s+(?:also|moreover|furthermore|in addition),?\s+"
)
_FRAMING = (
    r"^(?:in (?:summary|short|conclusion|other words)|overall|to (?:sum up|conclude)|thus|therefore|hence|so|here is|here are"
    r"|as follows)\b[,:]?\s*"
)
_AUXILIARY = r"is|are|was|were|has|have|does|do|can|may|must|will|should|[a-z]+s"
_REFERENT = rf"^(?:it|this|that|they|these|the (?:latter|former)|this pattern|that pattern)\b(?=\s+(?:{_AUXILIARY})\b)"
_VERB = rf"^(?:(?:also|then|only|often)\s+)?(?:{_AUXILIARY})\b"


def atomize(statement: Statement, subject: str = "") -> tuple[Statement, ...]:
    """The claims of a statement, each with all of its quotations; ``subject`` replaces a pronoun that begins one.

    A half that has no verb of its own stays with the half before it. Framing is dropped.
    """
    parts: list[str] = []
    for sentence in sentences(statement.text) or ():
        text = re.sub(_FRAMING, "", sentence.text, flags=re.IGNORECASE)
        for piece in re.split(_SEAM, text, flags=re.IGNORECASE):
            part = piece.strip(" ,;")
            if parts and (len(content(part)) < _FEWEST):
                parts[-1] = f"{parts[-1]}, {part}"
            elif part:
                parts.append(part)
    if len(parts) <= 1:
        return (statement._replace(text=_resolved(parts[0] if parts else statement.text, subject)),)
    about = subject or _first_thing(parts[0])
    return tuple(statement._replace(text=_resolved(part, about)) for part in parts)


def _resolved(text: str, subject: str) -> str:
    if not subject:
        return text
    if re.match(_REFERENT, text, re.IGNORECASE):
        return re.sub(_REFERENT, lambda _: subject, text, count=1, flags=re.IGNORECASE)
    return f"{subject} {text}" if re.match(_VERB, text) else text


def _first_thing(text: str) -> str:
    """What stands before the first verb of a claim, if that is short enough to be its subject."""
    found = re.match(r"((?:[^\s,;]+\s+){1,5}?)(?:is|are|was|were|has|have|does|can|may|must|will|[a-z]{3,}s)\b", text)
    return found[1].strip() if found else ""
