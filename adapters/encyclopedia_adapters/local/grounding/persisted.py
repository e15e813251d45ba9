"""Writes a grounded choice as markdown below a folder that the user has named: the only thing that grounding ever writes."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.containment import within
from encyclopedia_adapters.shared.sanitize import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST_NAME = 60
LONGEST_CELL = 300


def persist_grounding(
    grounded: Mapping[str, Any], output_dir: str | os.PathLike[str], project: str | None = None, page: str | None = None
) -> dict[str, Any]:
    """Write ``output_dir/DOMAIN/PROJECT/MASTER.md``, and ``pages/PAGE.md`` there unless it exists.

    A project without a name is called as the query.
    ``{status, created_files}``. Each file is replaced whole. Raises ``OSError`` if it cannot be written, or if a link below
    ``output_dir`` leads out of it.
    """
    root = os.path.realpath(output_dir)
    folder = os.path.join(root, _slug(str(grounded.get("domain", ""))), _slug(project or str(grounded.get("query", ""))))
    created = [_write(root, os.path.join(folder, "MASTER.md"), "\n".join(_lines(grounded)))]
    if page:
        path = os.path.join(folder, "pages", f"{_slug(page)}.md")
        text = f"# {clean_line(page)}\n\n> What stands here goes before ../MASTER.md, for this page only.\n"
        created += [] if os.path.exists(path) else [_write(root, path, text)]
    return {"status": "success", "created_files": created}


def _slug(text: str) -> str:
    """A name for a file: words in lower case with hyphens between them."""
    words = re.sub(r"[\W_]+", "-", text.encode("utf-8", "replace").decode().lower()).strip("-")
    return words[:LONGEST_NAME].rstrip("-") or "grounding"


def _write(root: str, path: str, text: str) -> str:
    folder = os.path.dirname(path)
    real = os.path.realpath(folder)
    if not within(root, real):
        raise PermissionError(1, "a link leads out of the folder", folder)
    os.makedirs(real, exist_ok=True)
    draft = os.path.join(real, f".{os.path.basename(path)}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(handle)
    os.replace(draft, path)
    return path


def _lines(grounded: Mapping[str, Any]) -> Iterator[str]:
    confidence = grounded.get("confidence") or {}
    yield f"# {clean_line(str(grounded.get('query', '')))}"
    yield "\n> Before you build a page, look for `pages/PAGE.md`: what stands there goes before this file.\n"
    yield f"- **Domain:** {clean_line(str(grounded.get('domain', '')))}"
    yield f"- **Category:** {clean_line(str(grounded.get('category', '')))}"
    yield f"- **Confidence:** {confidence.get('label', 'low')} ({confidence.get('score', 0)})\n"
    for name, selection in (grounded.get("selections") or {}).items():
        if selection["best"]:
            yield f"## {clean_line(name)}\n"
            yield from _fields(selection["best"])
            yield ""
    evaluation = grounded.get("rules_evaluation") or {}
    for key, title in (("matched", "Rules that hold"), ("unmatched", "Rules that do not hold here")):
        if evaluation.get(key):
            yield f"## {title}\n"
            yield from _fields(evaluation[key])
            yield ""
    yield "## Evidence gap\n"
    yield from (f"- {clean_line(gap)}" for gap in grounded.get("evidence_gap") or ["none"])
    yield ""


def _fields(row: Mapping[str, Any]) -> Iterator[str]:
    shown = ((clean_line(name), clean_line(str(value), LONGEST_CELL)) for name, value in row.items())
    return (f"- **{name}:** {value}" for name, value in shown if value)
