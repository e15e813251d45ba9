"""Pages that Read the Docs found, as hits at their best section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.shared.hits import as_text, clean_hit
from encyclopedia_adapters.shared.markup import clean_html

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTIONS = 5


def page_hits(results: list[object], version: str) -> Iterator[Hit]:
    """The clean hits; those of another version than the one asked for are left out."""
    for element in results:
        if not isinstance(element, dict):
            continue
        told = element.get("version")
        slug = as_text(told.get("slug") if isinstance(told, dict) else told)
        if version and slug.removeprefix("v") != version.removeprefix("v"):
            continue
        # "latest" and "stable" are no versions: they name what changes.
        own = version or (slug if any(char.isdigit() for char in slug) else "")
        if (hit := clean_hit(_hit(element, own))) is not None:
            yield hit


def _hit(element: dict[str, object], version: str) -> Hit:
    given = element.get("blocks")
    blocks = [block for block in given[:_SECTIONS] if isinstance(block, dict)] if isinstance(given, list) else []
    best = blocks[0] if blocks else {}
    title, section, anchor = as_text(element.get("title")), _heading(best), as_text(best.get("id"))
    return Hit(
        title=f"{title} § {section}" if section and section != title else title,
        url=as_text(element.get("domain")) + as_text(element.get("path")) + (f"#{anchor}" if anchor else ""),
        content="\n\n".join(text for block in blocks if (text := _text(block, block is best))),
        version=version,
    )


def _heading(block: dict[str, object]) -> str:
    return as_text(block.get("title") or block.get("name"))


def _text(block: dict[str, object], best: bool) -> str:
    """A section's own text, else the places that match in it; with its heading where the hit does not tell it."""
    text = as_text(block.get("content"))
    marked = block.get("highlights")
    if not text and isinstance(marked, dict):
        text = clean_html(as_text(marked.get("content"), " … "))
    heading = "" if best else _heading(block)
    return f"{heading}\n{text}" if heading and text else text
