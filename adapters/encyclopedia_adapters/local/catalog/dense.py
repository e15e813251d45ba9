"""Reading a dense catalog: a head, then one block of three or four lines for each entity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from encyclopedia_adapters.local.catalog.entry import Catalog, Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = "#### "
_PATH = "path:"
_HUBS = "## Top hubs"
_MISSING = "## Most-referenced missing pages"


def parse(text: str) -> Catalog:
    """The catalog in ``text``, of version 1 or 2; a block that is not whole is left out and its line told.

    Links, tags and names are as the catalog shortens them: the most important five, four and five.
    """
    lines = text.split("\n")
    head, start = _head(lines)
    entries, broken = list[Entry](), list[int]()
    for number in range(start, len(lines)):
        if lines[number].startswith(MARK):
            entry = _block(lines, number)
            if entry:
                entries.append(entry)
            else:
                broken.append(number + 1)
    top = lines[start : next((at for at, line in enumerate(lines) if line.startswith(MARK)), len(lines))]
    return Catalog(head, tuple(entries), tuple(broken), _counted(top, _HUBS), _counted(top, _MISSING))


def _head(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """What stands between the two marks at the top, and the line after them."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    end = next((at for at, line in enumerate(lines[1:100], 1) if line.rstrip() == "---"), 0)
    pairs = (line.partition(":") for line in lines[1:end])
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}, end + 1 if end else 0


def _block(lines: Sequence[str], at: int) -> Entry | None:
    """The entity whose block begins in line ``at``: ``#### slug [type·status] · score 7/9``, claim, links, path."""
    slug, _, rest = lines[at].removeprefix(MARK).partition(" [")
    kind, closed, after = rest.partition("]")
    type, dot, status = kind.partition("·")
    score = after.strip().removeprefix("·").lstrip()
    claim, links, path = [*lines[at + 1 : at + 4], "", "", ""][:3]
    whole = all(map(str.strip, (slug, type, dot, status, closed))) and (not score or score.startswith("score "))
    # The line of links may begin with a tag, but what begins another block or section may not stand in this one.
    if not whole or at + 2 >= len(lines) or _is_heading(claim) or _is_heading(links):
        return None
    place = path.removeprefix(_PATH).strip() if path.startswith(_PATH) else ""
    known = score.removeprefix("score ").strip() or None
    return Entry(slug.strip(), type.strip(), status.strip(), known, claim.strip(), path=place, **_links(links))


def _is_heading(line: str) -> bool:
    return line.startswith(("# ", "## ", "### ", MARK))


def _links(line: str) -> dict[str, tuple[str, ...]]:
    """``→ out · ← in · #tag #tag · aka: name, name · src: source | source``, all parts optional."""
    found: dict[str, tuple[str, ...]] = {}
    for part in map(str.strip, line.split("·")):
        if part.startswith("→ "):
            found["out_links"] = _listed(part[2:], ",")
        elif part.startswith("← "):
            found["in_links"] = _listed(part[2:], ",")
        elif part.startswith("#"):
            found["tags"] = tuple(tag.lstrip("#") for tag in part.split() if tag.startswith("#"))
        elif part.startswith("aka: "):
            found["aliases"] = _listed(part[5:], ",")
        elif part.startswith("src: "):
            # Addresses hold commas; version 1 has nothing else between them.
            found["sources"] = _listed(part[5:], " | " if " | " in part else ",")
    return found


def _listed(text: str, mark: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(mark) if item.strip())


def _counted(lines: Sequence[str], title: str) -> tuple[tuple[str, int], ...]:
    """The slugs with their numbers in the section of that title: ``dao`` and 4."""
    start = next((at + 1 for at, line in enumerate(lines) if line.startswith(title)), len(lines))
    end = next((at for at in range(start, len(lines)) if lines[at].startswith("#")), len(lines))
    found = re.findall(r"`([^`]+)` \((\d{1,9})[^)]?\)", "\n".join(lines[start:end]))
    return tuple((slug, int(count)) for slug, count in found)
