"""Words of a question that say nothing to a source which takes every word for something to be found."""

from __future__ import annotations

FILLERS = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is"),
        *("it", "its", "me", "my", "of", "on", "or", "show", "that", "the", "there", "this", "to", "was", "we", "what"),
        *("when", "where", "which", "who", "why", "with", "you"),
    )
)
ASKING = frozenset(("how", "what", "when", "where", "which", "who", "why"))
ASKED = frozenset(
    (
        *("decide", "decided", "decides", "declared", "defined", "determined", "done", "happen", "happening", "happens"),
        *("implemented", "located", "made"),
    )
)
"""What a question asks about whatever it names: "where is … decided" means the place, not the word."""


def without_fillers(text: str) -> str:
    """The text without fillers; as it is where it quotes, has none but letters, or nothing else would be left."""
    words = text.split(" ")
    bare = [word.lower().strip("?!.,") for word in words]
    silent = FILLERS | ASKED if bare[0] in ASKING else FILLERS
    fillers = [word for word, known in zip(words, bare, strict=True) if known in silent]
    if '"' in text or all(len(word) == 1 for word in fillers):
        return text
    return " ".join(word for word in words if word not in fillers).strip() or text
