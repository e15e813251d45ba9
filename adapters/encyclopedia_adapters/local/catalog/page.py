"""Reading one entity page: what its front matter says of it, and where it leads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 65_536
"""Characters of a front matter that are read; more is no description of a page."""

_SLUG = 80
_CLAIM = 4000
_PARAGRAPHS = 20


class Page(NamedTuple):
    """An entity page. ``links`` are the slugs that it leads to, ``line`` is the number of the first line of ``body``.

    ``claim`` is one plain line, not shortened. ``merged`` marks a page that has been folded into another. ``problem`` says why
    the front matter counts as empty.
    """

    path: str
    slug: str
    type: str
    status: str
    score: str | None
    title: str
    claim: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    sources: tuple[str, ...]
    links: frozenset[str]
    body: str
    line: int = 1
    merged: bool = False
    problem: str = ""


def read_page(path: str, text: str) -> Page:
    """The page at ``path`` (relative to the folder of the entities) from its text. Never raises."""
    fields, body, problem = _front_matter(text)
    *folders, name = path.split("/")
    stem = name.removesuffix(".md")
    slug = _line(fields.get("slug")) or stem
    status = fields.get("status")
    score = fields.get("score")
    token = score.get("total") if isinstance(score, dict) else score
    links = frozenset(_targets("\n".join((body, *_strings(fields.get("related")))))) - {slug}
    return Page(
        path=path,
        slug=slug,
        type=_line(fields.get("type")) or (folders[0] if folders else "_root"),
        status=_line(status) or "—",
        score=("".join(str(token).split()) or None) if token is not None else None,
        title=_line(fields.get("title")) or _heading(body) or stem.replace("-", " "),
        claim=plain(_claim(fields, body)[:_CLAIM]),
        tags=_lines(fields.get("tags")),
        aliases=_lines(fields.get("aliases")),
        sources=_lines(fields.get("sources")),
        links=links,
        body=body,
        line=text.count("\n", 0, len(text) - len(body)) + 1,
        merged=status == "merged",
        problem=problem,
    )


def _front_matter(text: str) -> tuple[dict[str, Any], str, str]:
    """The fields, the text after them, and why there are none where a front matter stands."""
    if text.partition("\n")[0].rstrip() != "---":
        return {}, text, ""
    begin, end = text.find("\n") + 1, _end(text)
    if not begin or not end:
        return {}, text, "its front matter has no end"
    block, (_, _, body) = text[begin:end], text[end + 1 :].partition("\n")
    fields, problem = _fields(block)
    return fields, body, f"its front matter {problem}" if problem else ""


def _end(text: str) -> int:
    """Where the line begins, its line feed included, that closes the front matter; 0 if none does soon enough."""
    at = text.find("\n---", 0, LONGEST)
    while at >= 0 and text[at + 4 : at + LONGEST].partition("\n")[0].strip():
        at = text.find("\n---", at + 1, LONGEST)
    return max(at, 0)


def _fields(block: str) -> tuple[dict[str, Any], str]:
    """The properties in a block of YAML, or none and why."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if re.search(r"<<['\"]?\s*:", block):  # merges of merges grow without bound
        return {}, "holds a merge key, which is not read"
    try:
        fields = yaml.load(block, loader) or {}  # noqa: S506 - one of the two safe loaders
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        return {}, f"is no YAML: {getattr(error, 'problem', '') or type(error).__name__}"
    return (fields, "") if isinstance(fields, dict) else ({}, "is no list of properties")


def _strings(value: object) -> list[str]:
    """Texts of a property that may be a text, a list of texts, or a list of tables, of which the first text counts."""
    if isinstance(value, str):
        return [value]
    found = []
    for item in value if isinstance(value, list) else ():
        told = item.values() if isinstance(item, dict) else (item,)
        found += [text for text in told if isinstance(text, str)][:1]
    return found


def _line(value: object) -> str:
    """A text on one line, so that no property can begin a line of the catalog."""
    if not isinstance(value, str):
        return ""
    return value if value.isprintable() else " ".join(value.split())


def _lines(value: object) -> tuple[str, ...]:
    return tuple(map(_line, _strings(value)))


def _targets(text: str) -> Iterator[str]:
    """The slugs of ``[[type/slug#section|shown]]``. What opens and is not closed by the next bracket leads nowhere."""
    begin = text.find("[[")
    while begin >= 0 and (end := text.find("]", begin)) >= 0:
        raw = text[begin + 2 : end] if text.startswith("]]", end) else ""
        name = slugify(raw.partition("|")[0].partition("#")[0].rpartition("/")[2])
        if name:
            yield name
        begin = text.find("[[", end)


def slugify(text: str) -> str:
    """A name as entities are called: lower case, words joined by hyphens, at most 80 characters."""
    words = re.sub(r"[^\w\s-]", "", text.lower().strip())
    return re.sub(r"-+", "-", re.sub(r"[\s_]+", "-", words)).strip("-")[:_SLUG]


def _heading(body: str) -> str:
    """The heading with which the text begins, if it does."""
    first = body.lstrip().partition("\n")[0]
    return plain(first[2:]).rstrip("# ") if first.startswith("# ") else ""


def _claim(fields: dict[str, Any], body: str) -> str:
    """What the page says of itself, else its first paragraph."""
    claim = fields.get("core_claim")
    if isinstance(claim, str):
        return claim
    paragraphs = (part.strip() for part in re.split(r"\n\s*\n", body.strip(), maxsplit=_PARAGRAPHS))
    return next((part for part in paragraphs if part and not part.startswith(("#", "```"))), "")


def plain(text: str) -> str:
    """One line without marks of emphasis, code and links."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"`([^`]+)`", r"\1", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)
    text = re.sub(r"\*([^*]+)\*", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return re.sub(r"\[\[([^\]|#]+)(?:[|#][^\]]+)?\]\]", r"\1", text).strip()
