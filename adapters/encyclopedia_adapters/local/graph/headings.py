"""Which headings and terms of a markdown book name a concept, and which only say what a section is for."""

from __future__ import annotations

import re
from functools import cache

from encyclopedia_adapters.local.graph.mentions import in_brackets, without_brackets

LONGEST = 80
MOST_WORDS = 6
"""Words of a name; what is longer is a sentence."""

_GENERIC = """
about|abstract|acknowledge?ments?|advantages?|aim|aliases|alternatives?|also known as|answers?|api|appendix
|applicability|approach|at a glance|author|background|basic usage|benefits?|best practices|bibliography|caveats
|changelog|chapters?|class diagram|code( examples?)?|collaborations?|common (mistakes|pitfalls)|comparison
|conclusions?|configuration|cons|consequences|considerations|contents?|context|contributing|core concepts?|costs?
|credits?|definitions?|description|details?|detailed explanation|diagrams?|disadvantages?|discussion|drawbacks?
|examples?|exercises?|explanation|faq|features?|first steps|flow|foreword|forces|frequently asked questions
|further reading|getting started|glossary|goals?|guidelines?|how( it works)?|idea|implementation( notes)?|important
|in (a nutshell|other words|plain words|practice|short|summary)|index|installation|intent|introduction|intro
|key (points|takeaways|terms)|known uses|learning objectives|lessons?|licen[cs]e|limitations?|links|mechanics|more
|motivation|notes?|objectives?|other names|outline|overview|part|participants?|pitfalls|preface|prerequisites?
|principles|problems?|programmatic example|properties|pros( and cons)?|purpose|questions?|quick ?start|quiz|rationale
|real[- ]world (applications?|examples?)|recap|references?|related( concepts| patterns| terms| work)?|remarks?
|resources?|results?|review|risks?|sample( code)?|scenario|see also|sequence diagram|setup|solutions?|sources?|steps?
|strengths?|structure|summary|synonyms|syntax|table of contents|takeaways?|terminology|terms|testing|the (problem
|solution|idea)|tips?|trade-?offs?|tutorials?|uml( diagram)?|usage|use cases?|variants?|variations|vocabulary
|warnings?|weaknesses?|what next|when (not )?to use( it)?|who|why|wikipedia says
"""
_NO_NAME = (
    r".*\b(?:tutorials?|examples?|usage|walkthrough|references|diagrams?|scenario|exercises?|notes)|.*\.\w{1,5}|.*:\s.*"
    r"|(?:key|common|main|important|practical)\s.*|(?:option|step|phase|level|day|week|figure|table|listing)\b.*"
    r"|(?:defin|manag|improv|us|runn|creat|implement|add|gett|sett|writ|choos|handl|mak|keep)ing\s.*"
    r"|(?:run|use|create|define|implement|install|configure|write|avoid|choose|keep|make|add|try)\s.*"
)
"""Headings that tell what is done or shown."""

_OTHER_NAMES = r"also known as|aliases|other names|synonyms|aka|a\.k\.a\.|alternative names?"
_GLOSSARY = r"(?:.* )?(?:glossary|terms|terminology|definitions|vocabulary|key (?:terms|concepts)|concepts)"
_DEFINING = (
    r"intent|definition|in (?:plain words|short|a nutshell|summary)|summary|overview|description|introduction|what it is"
)
_GROUP = r".*\b(?:patterns|principles|techniques|concepts|topics|methods|practices|basics|fundamentals|chapters?|part)\b"

_NUMBER = r"^\W*(?:(?:chapter|part|section|lesson)\s+)?(?:\d+(?:\.\d+)*|[ivxlc]+(?=[.:)]))[.:)]?\s+"


def concept_name(heading: str) -> tuple[str, tuple[str, ...]]:
    """The concept that a heading names, with its other names in brackets; an empty name if it names none."""
    text = bare(heading)
    if asked := re.fullmatch(r"(?:what (?:is|are)|understanding|introducing)(?: an?| the)? (.+?)\??", text, re.IGNORECASE):
        text = asked[1]
    brackets = tuple(part for part in in_brackets(text) if len(part.split()) <= MOST_WORDS)
    name = re.sub(r"\s+(?:design )?pattern$", "", without_brackets(text), flags=re.IGNORECASE).strip(" :-\u2013—.")
    words = name.split()
    fits = (
        not re.fullmatch(_NO_NAME, name, re.IGNORECASE)
        and 0 < len(words) <= MOST_WORDS
        and len(name) <= LONGEST
        and any(char.isalpha() for char in name)
    )
    if (
        not fits
        or is_generic(name)
        or name.endswith(("?", "!"))
        or re.match(r"(?:how|why|when|where|which|who|what)\b", name, re.IGNORECASE)
    ):
        return "", ()
    return name, brackets


def is_generic(heading: str) -> bool:
    """Whether a heading says what its section is for: ``Examples``, ``Intent of …``, ``Benefits and trade-offs``."""
    return bool(_generic().fullmatch(bare(heading)))


def is_group(heading: str) -> bool:
    """Whether a heading speaks of several things that have headings of their own: ``Creational patterns``."""
    return bool(re.fullmatch(_GROUP, bare(heading), re.IGNORECASE))


def is_glossary(heading: str) -> bool:
    """Whether the items below a heading are terms."""
    return bool(re.fullmatch(_GLOSSARY, bare(heading), re.IGNORECASE))


def is_other_names(heading: str) -> bool:
    """Whether what is below a heading are other names of the thing."""
    return bool(re.fullmatch(_OTHER_NAMES, bare(heading), re.IGNORECASE))


def is_defining(heading: str) -> bool:
    """Whether the first sentence below a heading says what the thing is."""
    return bool(re.match(_DEFINING, bare(heading), re.IGNORECASE))


def category(heading: str) -> str:
    """``creational`` of ``Creational Design Patterns``."""
    name = re.sub(r"\b(?:design|patterns?|principles|techniques|concepts)\b", " ", bare(heading), flags=re.IGNORECASE)
    return " ".join(name.split()).lower()


def bare(heading: str) -> str:
    """A heading without its number, markup, links and pictures."""
    from encyclopedia_adapters.shared.sanitize import clean_line

    text = re.sub(r"!?\[\[?([^\[\]|]*)(?:\|[^\[\]]*)?\]?\](?:\([^()]*\))?", r"\1", heading)
    text = re.sub(r"<[^<>]*>|\{#[^{}]*\}|[*`~]|(?<!\w)_+|_+(?!\w)", "", text)
    text = re.sub(_NUMBER, "", text, flags=re.IGNORECASE)
    return clean_line(re.sub(r"^[^\w(\"'.]+|\s+$", "", text), 200)


@cache
def _generic() -> re.Pattern[str]:
    one = "(?:" + "".join(_GENERIC.split("\n")) + ")"
    return re.compile(rf"{one}(?:,? (?:and|&|or|/) [\w -]+)?(?: (?:of|for|in|with|to use)\b.*)?[:?.]?", re.IGNORECASE)
