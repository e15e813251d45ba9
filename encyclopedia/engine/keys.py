"""Under what an answer is stored: everything that changes it, in one text, and that with the words in one digest."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from encyclopedia.engine.normal import normalised

if TYPE_CHECKING:
    from encyclopedia.model.plan import Plan


def group_of(plan: Plan) -> str:
    """Everything but the words that changes the answer: the query type, the repository and the cache key of the plan."""
    return f"{plan.question.type.value}\n{plan.question.repository}\n{plan.cache_key}"


def key_of(plan: Plan) -> str:
    """The key of a plan's answer: SHA-256 of the normalised words and of everything else that changes it."""
    return key_in(group_of(plan), plan.question.text)


@lru_cache(256)
def key_in(group: str, text: str) -> str:
    """The key of the answer to ``text`` within a group."""
    import hashlib  # only where there is a cache

    return hashlib.sha256(f"{group}\n{normalised(text)}".encode("utf-8", "surrogatepass")).hexdigest()
