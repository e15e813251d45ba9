"""The base of an English word: enough of a stemmer to see that two words are forms of one, and not more."""

from __future__ import annotations

from functools import lru_cache

_KEPT = """
news redis aws cors pandas keras kubernetes series windows rails express expression exception except session version
production product function option action section station nation ration rate state date process access address class css
js os ios dns tls https less unless plus status bus virus basis analysis thesis canvas alias bias string ring thing king
spring sing bring during nothing something anything everything morning evening ceiling pricing bed red need seed speed
feed embed shed led used private update template separate climate monthly weekly daily yearly hourly only early family
apply reply supply assembly july fly italy species lens physics mathematics athletics jenkins travis  always
perhaps yes gas is was has its this us his apis nginx postgres  rust ruby   past pass missing
"""
KEEP = frozenset(_KEPT.split())
"""Words that end like a form of another word and are none, or are another word than the one whose form they are."""
NO_VERBS = (
    "rc",
    "rom",
    "rec",
    "ra",
    "no",
    "oth",
    "erw",
    "rpr",
    "rem",
    "ert",
    "dv",
    "ev",
    "erv",
    "anch",
    "hand",
    "nc",
    "gu",
    "ov",
    "pra",
)
"""What stands before ``ise`` in words that are always written so: exercise, promise, enterprise."""
VOWELS = frozenset("aeiouy")
SHORTEST = 3


@lru_cache(8192)
def stem(word: str) -> str:
    """What is left of a lower-case word without its ending; words of three letters and fewer are left alone."""
    if len(word) <= SHORTEST or not word.isascii() or not word.isalpha():
        return word
    if word in KEEP:
        return word
    return _final(_verbal(_nominal(_american(_singular(word)))))


def _american(word: str) -> str:
    """``organise`` as ``organize``."""
    for ending in ("ise", "ised", "ising", "isation"):
        head = word[: -len(ending)]
        if word.endswith(ending) and len(head) > SHORTEST and not head.endswith(NO_VERBS):
            return f"{head}iz{ending[2:]}"
    return word


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > SHORTEST + 1:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "zes", "sses", "oes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and len(word) > SHORTEST else word


def _nominal(word: str) -> str:
    if word in KEEP:
        return word
    for ending in ("ation", "ating", "ated", "ate"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word[: -len(ending)]
    if word.endswith(("tion", "sion")) and len(word) - 3 > SHORTEST + 1:
        return word[:-3]
    if word.endswith(("ically", "ical")):
        return word[:-4] if word.endswith("y") else word[:-2]
    return word[:-2] if word.endswith("ly") and len(word) - 2 > SHORTEST else word


def _verbal(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and word not in KEEP and len(base) >= SHORTEST and VOWELS & set(base):
            doubled = len(base) > SHORTEST and base[-1] == base[-2] and base[-1] not in "aeioulsz"
            return base[:-1] if doubled else base
    return word


def _final(word: str) -> str:
    if word in KEEP:
        return word
    if word.endswith("e") and len(word) > SHORTEST:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > SHORTEST and word[-2] not in VOWELS else word
