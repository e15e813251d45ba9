"""What Context7 answers, as hits: code with its description, and prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import Garbled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.model.outcome import Hit

_CODE, _INFO = "codeSnippets", "infoSnippets"
# The shape of v3 is not documented: lists by which services of this kind call their results.
_LISTS = ("results", "snippets", "documents")
_TEXTS = ("content", "text", "codeDescription", "description")
_TITLES = ("codeTitle", "title", "breadcrumb", "pageTitle")
_ADDRESSES = ("codeId", "pageId", "url", "source")


def snippet_hits(data: object, version: str) -> Iterator[Hit]:
    """The clean hits of an answer, code and prose in turn, best first; ``Garbled`` if there is no list of snippets."""
    from encyclopedia_adapters.shared.hits import clean_hit

    for element in _elements(data):
        if (hit := clean_hit(_hit(element, version))) is not None:
            yield hit


def _elements(data: object) -> Iterator[dict[str, object]]:
    """The snippets, whether they stand in their two lists, in one, or in such lists for each of several libraries."""
    if isinstance(data, dict) and (_CODE in data or _INFO in data):
        yield from _in_turn(data)
        return
    found = data if isinstance(data, list) else _first(data, _LISTS) if isinstance(data, dict) else None
    elements = [element for element in found if isinstance(element, dict)] if isinstance(found, list) else []
    if not isinstance(found, list) or (found and not elements):
        raise Garbled("context7 answered without a list of snippets")
    for element in elements:
        yield from _in_turn(element) if _CODE in element or _INFO in element else (element,)


def _in_turn(data: dict[str, object]) -> Iterator[dict[str, object]]:
    from itertools import zip_longest

    lists = [data.get(name) or [] for name in (_CODE, _INFO)]
    if not all(isinstance(members, list) for members in lists):
        raise Garbled("context7 answered with snippets that are no list")
    for pair in zip_longest(*(members for members in lists if isinstance(members, list))):
        yield from (element for element in pair if isinstance(element, dict))


def _hit(element: dict[str, object], version: str) -> Hit:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text

    parts = (as_text(_first(element, _TEXTS)), *_blocks(element.get("codeList")))
    return Hit(
        title=as_text(_first(element, _TITLES)),
        url=as_text(_first(element, _ADDRESSES)),
        content="\n\n".join(part for part in parts if part),
        version=version,
    )


def _blocks(codes: object) -> Iterator[str]:
    """Each piece of code in fences of its own, longer than those that stand in it."""
    from encyclopedia_adapters.shared.hits import as_text

    for code in codes if isinstance(codes, list) else ():
        text = as_text(code.get("code")).strip("\n") if isinstance(code, dict) else ""
        if text:
            fence = "````" if "```" in text else "```"
            yield f"{fence}{as_text(code.get('language'))}\n{text}\n{fence}"


def _first(element: dict[str, object], names: tuple[str, ...]) -> object:
    return next((element[name] for name in names if element.get(name) is not None), None)
