"""In which script and language a question is put, as far as its small words tell."""

from __future__ import annotations

import re
from functools import lru_cache

SMALL = {
    "en": "the is are how what why when of to in for with and from does do can",
    "de": "der die das und ist wie ich nicht ein eine einen mit auf von zu im den dem was warum kann f\u00fcr wird man",
    "fr": "le la les des est comment je une dans avec pour sur du et que pourquoi quel quelle au aux en un",
    "es": "el la los las es c\u00f3mo como un una con para por qu\u00e9 del en y de puedo hacer",
    "pt": "o os as \u00e9 como um uma com para por que do da no na em e de fazer",
    "it": "il lo la gli \u00e8 come un una con per che di del della nel e perch\u00e9 fare",
    "nl": "de het een is hoe ik niet met op van te voor en wat waarom kan in",
    "pl": "jak w na i z do jest nie co dlaczego czy",
    "sv": "hur jag en ett och \u00e4r med p\u00e5 f\u00f6r att i av varf\u00f6r",
    "tr": "nas\u0131l bir ve i\u00e7in ile nedir bu ne",
    "ru": "\u043a\u0430\u043a \u0432 \u0438 \u043d\u0430 "
    "\u0441 \u043d\u0435 \u0447\u0442\u043e \u043f\u043e\u0447\u0435\u043c\u0443 \u0434\u043b\u044f",
}
WORDS = {name: frozenset(words.split()) for name, words in SMALL.items()}
ENOUGH = 2
"""Small words that tell a language: one of them may be a name."""
SCRIPTS = (
    ("cyrillic", "[\u0400-\u052f]"),
    ("greek", "[\u0370-\u03ff]"),
    ("arabic", "[\u0600-\u06ff]"),
    ("hebrew", "[\u0590-\u05ff]"),
    ("indic", "[\u0900-\u0dff]"),
    ("thai", "[\u0e00-\u0e7f]"),
    ("kana", "[\u3040-\u30ff]"),
    ("han", "[\u4e00-\u9fff]"),
    ("hangul", "[\uac00-\ud7af]"),
)


@lru_cache(512)
def tongue(text: str) -> tuple[frozenset[str], str]:
    """The scripts beside Latin that occur in a text, and its language, empty where too few words tell."""
    scripts = frozenset() if text.isascii() else frozenset(name for name, letters in SCRIPTS if re.search(letters, text))
    words = [word for word in re.split(r"[\W\d_]+", text.casefold()) if word]
    counts = {name: sum(word in small for word in words) for name, small in WORDS.items()}
    best = max(counts.values())
    leaders = [name for name, count in counts.items() if count == best]
    return scripts, leaders[0] if best >= ENOUGH and len(leaders) == 1 else ""
