"""A file that GitHub's code search has found: where it stands, and which of its lines answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.shared.hits import as_text, clean_hit
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_FRAGMENTS = 3
_AROUND = 4
"""Lines shown before and after the first word that was found."""


def file_place(item: Mapping[str, object]) -> str:
    """The path of the API that gives the file as it was searched; empty for what is no file of a repository."""
    repository = item.get("repository")
    name = as_text(repository.get("full_name")) if isinstance(repository, dict) else ""
    path = as_text(item.get("path"))
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name, re.ASCII) or not path or ".." in f"{name}/{path}".split("/"):
        return ""
    ref = re.search(r"/blob/([0-9a-fA-F]{7,64})/", urlsplit(as_text(item.get("html_url"))[:2048]).path)
    return f"/repos/{name}/contents/{quote(path, safe='/')}" + (f"?ref={ref[1]}" if ref else "")


def file_hit(item: Mapping[str, object], text: str) -> Hit | None:
    """The hit: with its lines where ``text`` is the whole file, else with the fragments that GitHub shows."""
    repository = item["repository"]
    name = as_text(repository.get("full_name")) if isinstance(repository, dict) else ""
    path, url = as_text(item.get("path")), as_text(item.get("html_url"))
    fragments = list(_fragments(item.get("text_matches")))
    content = "\n…\n".join(fragments)
    lines = _lines(text, fragments) if text else None
    if lines:
        first, last = lines
        content = "\n".join(text.split("\n")[first - 1 : last])
        url = f"{url.partition('#')[0]}#L{first}-L{last}" if url else ""
    return clean_hit(Hit(f"{name} > {clean_line(path)}", url, content))


def _fragments(matches: object) -> list[str]:
    found = matches if isinstance(matches, list) else []
    texts = (as_text(match.get("fragment")) for match in found if isinstance(match, dict) and match.get("property") != "path")
    return [text for text in texts if text.strip()][:_FRAGMENTS]


def _lines(text: str, fragments: list[str]) -> tuple[int, int] | None:
    """The lines of the first fragment that stands in the text, with some around them."""
    for fragment in fragments:
        wanted = fragment.replace("\r\n", "\n").strip()
        at = text.find(wanted)
        if at >= 0:
            first = text.count("\n", 0, at) + 1
            last = first + wanted.count("\n")
            return max(1, first - _AROUND), min(last + _AROUND, text.count("\n") + 1)
    return None
