"""What a service wrote itself, beside the pages that it wrote it from, so that nobody takes the one for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia_adapters.shared.hits import clean_hit

if TYPE_CHECKING:
    from encyclopedia.ports import Context


def generated(service: str, text: str, pages: tuple[Hit, ...], limit: int) -> Reply:
    """At most ``limit`` hits: the pages, then ``text`` under a title that says what it is, without an address.

    The text takes the last place, that of a page if need be, but never the only one while there is a page.
    """
    title = f"Answer by {service} (generated)"
    answer = clean_hit(Hit(title, content=text))
    if answer is None or not answer.content or limit <= bool(pages):
        return Reply(pages[:limit])
    note = f'"{title}" is text that the service generated, not a page'
    return Reply((*pages[: limit - 1], answer), note=note)


def wants_answer(context: Context, option: str) -> bool:
    """Whether ``option`` of the source's table switches generated answers on; ``ConfigurationError`` if it is no switch."""
    chosen = context.options.get(option, False)
    if not isinstance(chosen, bool):
        raise ConfigurationError(f"[sources.{context.name}] {option} must be true or false")
    return chosen
