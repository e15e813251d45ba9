"""How people write the kinds of relation: the words that stand between two names, and those that take them back."""

from __future__ import annotations

import re
from functools import cache

_RULES = r"""
conflicts_with  1  (conflicts?|clash(es)?|interferes?) with
conflicts_with  1  contradicts?|rules? out|does not work with|do not work with
conflicts_with  1  (is|are) (incompatible|at odds|mutually exclusive) with
conflicts_with  1  (cannot|can not|can't|must not|should not|shouldn't|may not) be (used |combined |mixed )(together )?with
requires        1  (cannot|can't|does not|do not|will not) (work|exist|function|operate|run|be (built|used|done)) without
alternative_to  1  (is|are|as|offers?|provides?) (an? |the )?(\w+ ){0,2}(alternatives?|substitutes?|replacements?) (to|for|of)
alternative_to  1  instead of|rather than|in place of|replaces?|vs\.?|versus|(can|may) be replaced (by|with)
component_of    1  (is|are|forms?) (an? |the |one )?(\w+ ){0,2}PARTs? (of|in)|belongs? to
component_of   -1  consists? of|comprises?|contains?|includes?|(is|are) (made( up)?|composed|built up) (of|from)
specializes     1  (is|are) (an? |one |another |the |just |really )*(\w+ )?KINDs? of|speciali[sz]es?|refines?
specializes     1  (is|are) (an? )?(\w+ )?(implementation|example)s? of
specializes    -1  generali[sz]es?|subsumes?
extends         1  extends?|builds? (up)?on|enhances?|augments?|improves? (up)?on|adds? to
extends         1  (is|are) (an )?extensions? (of|to)|(is|are) (based on|derived from)
extends        -1  (is|are|can be) (extended|enhanced|augmented) (by|with)
requires        1  requires?|needs?|depends? (up)?on|relies on|rely on|presupposes?|assumes?
requires       -1  (is|are) (required|needed) (by|for)|(is|are) (an? )?(prerequisite|precondition)s? (for|of|to)
enables         1  enables?|makes? possible|facilitates?|allows?( for)?|supports?|paves? the way for
enables        -1  (is|are) (enabled|made possible|supported|facilitated) by
complements     1  complements?|in conjunction with|together with|alongside
complements     1  (pairs?|works?|goes|go|fits?|combines?) (well |nicely |naturally )?(together )?with
complements     1  (is|are|be|used) (combined|paired|used together|used in conjunction|used in combination) with
precedes        1  precedes?|before|(comes?|happens?|runs?|goes|is done|is run|is applied) before
precedes        1  (is|are) followed by|,? (and )?then|leads? to
precedes       -1  follows?|(comes?|happens?|runs?|goes|is done|is run|is applied) after|(is|are) preceded by
uses            1  uses?|using|utili[sz]es?|leverages?|employs?|makes? use of|appl(y|ies)|delegates? to|invokes?|calls?
uses            1  (is|are) (implemented|reali[sz]ed|built|made) (with|using|by|on( top of)?)
uses           -1  (is|are) (used|employed|applied|leveraged) (by|in|inside|within)
specializes     1  (is|are)(?= (an?|one) )
"""
"""A kind, the way it points (1: from the first name to the second), and its words; the first that fits decides."""

_KIND = "(kind|type|form|sort|variant|variation|flavou?r|special case|speciali[sz]ation|subtype|subclass|instance|version)"
_PART = "(part|component|piece|element|building block|member|ingredient|layer|step|stage|phase)"

_BEFORE = """
((design )?patterns?|principles?|techniques?|itself|themselves)?
,?( (and|but|or|which|that|who))?
( (can|may|might|could|will|would|should|must|to|be|tends?|often|usually|typically|also|always|generally|sometimes|commonly
|internally|normally|frequently|naturally|in turn|thus|therefore|both|itself|additionally|directly|either|first))*
"""
_AFTER = r"""
( (an?|the|its|their|our|your|some|several|many|other|another|one|any|each|both|all|such))?
(?P<like>( [\w\u2019'-]+){0,2})
"""

FOLLOWED = (
    r"\s+(?!(?:and|or|but|to|of|in|on|for|with|by|that|which|who|from|as|at|when|while|if|before|after|instead|rather|so|than|then"
    r"|is|are|can|may|will|must|should|between|into|per|via|where|whose|because|pattern|patterns)\b)[a-z]{3}"
)
"""An ordinary word that goes on like this belongs to another name: ``state management``."""

HEDGE = r"\b(?:may|might|could|would|can|sometimes|often|usually|typically|perhaps|possibly|occasionally|some say)\b"
"""Words that make a claim doubtful."""

DENIED = (
    r"\b(?:not|never|no|none|neither|nor|without|hardly|barely|rarely|seldom|cannot|\w+n['\u2019]t|myth|misconception|mistake|mistaken"
    r"|mistakenly|wrong|wrongly|false|falsely|contrary|whether|if|unless|lacks?|avoids?|refuses?|stops?)\b"
)
"""Words after which a claim is none."""

JOINED = r"\s*(?:,|,?\s*(?:and|or|&|as well as)|/)\s*(?:an?|the)?\s*"
"""What stands between names that are listed."""

PRONOUN = (
    r"\s*(?:it|they|this|these|the|this design|the design)"
    r"(?: (?:pattern|patterns|approach|technique|principle|idea|concept))?(?= )"
)
"""What stands for the subject of a section at the beginning of a sentence."""


@cache
def rules() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """Kind, way and pattern of each rule; a pattern fits all that stands between two names and calls its words ``said``."""
    before, after = ("".join(part.split("\n")) for part in (_BEFORE, _AFTER))
    made = []
    for line in _RULES.strip().splitlines():
        kind, way, words = line.split(None, 2)
        said = words.replace("KIND", _KIND).replace("PART", _PART)
        made.append((kind, int(way), re.compile(rf" ?{before} ?(?P<said>{said}){after} ?", re.IGNORECASE)))
    return tuple(made)
