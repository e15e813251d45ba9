"""Whether one more retrieval may close a gap: at most one round, for the one facet that needs it most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.answering.decompose import intent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.model.answer import Distillate, Facet


def critic(distillates: Sequence[Distillate]) -> tuple[int, Facet] | None:
    """The place of the weakest facet and what to search for now; ``None`` where every facet is answered well enough.

    The facet keeps its own words: only the wording of the search is the gap restated.
    """
    weak = [(at, one) for at, one in enumerate(distillates) if one.refused or one.confidence == "low" or one.gaps]
    if not weak:
        return None
    at, worst = max(weak, key=lambda pair: (bool(pair[1].refused), pair[1].confidence == "low", len(pair[1].gaps), -pair[0]))
    words = " ".join(dict.fromkeys((*worst.facet.sides, *worst.gaps))) or worst.facet.text
    if words == worst.facet.wording:
        return None
    intent = worst.facet.intent if worst.facet.sides else intent_of(worst.facet.text)
    return at, worst.facet._replace(search=words, intent=intent)
