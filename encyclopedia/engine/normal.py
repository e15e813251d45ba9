"""The same question in other clothes: the form in which two questions are the same one to the cache."""

from __future__ import annotations

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "«": "»"}
AROUND = ".,;:?!()[]{}…\"'`"


def normalised(text: str) -> str:
    """The text in NFKC, blanks folded, plain words in small letters, without a final ``?``, ``!`` or full stop.

    A word is plain if it has letters only (or is several such with hyphens or apostrophes between) and none of them but the
    first is a capital: identifiers, acronyms, repositories and whatever stands in quotation marks keep their case.
    """
    if not text.isascii():
        import unicodedata  # most questions are plain ASCII

        text = unicodedata.normalize("NFKC", text)
    pieces = [piece if quoted else " ".join(map(_word, piece.split(" "))) for piece, quoted in _pieces(" ".join(text.split()))]
    return "".join(pieces).rstrip("?!. ")


def _pieces(text: str) -> list[tuple[str, bool]]:
    """The text cut at its quotations; an apostrophe within a word opens none."""
    pieces, start, at = [], 0, 0
    while at < len(text):
        mark = QUOTES.get(text[at])
        opens = mark and not (at and text[at - 1].isalnum())
        end = text.find(mark, at + 1) if opens and mark else -1
        if end > 0:
            pieces += [(text[start:at], False), (text[at : end + 1], True)]
            start = at = end + 1
        else:
            at += 1
    return [*pieces, (text[start:], False)]


def _word(word: str) -> str:
    parts = word.strip(AROUND).replace("'", "-").replace("\u2019", "-").split("-")
    plain = all(part.isalpha() and part[1:] == part[1:].lower() for part in parts if part)
    return word.casefold() if plain else word
