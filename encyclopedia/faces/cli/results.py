"""Results for a person: rank, title, place, who found it, and the lines that speak of the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

INDENT = 4
LINES = 3


def print_results(console: Console, body: Mapping[str, Any], roots: Mapping[str, str], *, explain: bool = False) -> None:
    """Print the results of a report; ``roots`` are the folders of local corpora, for links to their files."""
    words = query_words(" ".join([str(body["query"]), *(row.partition(" → ")[2] for row in body.get("corrections", ()))]))
    for row in body["results"]:
        _title(console, row, roots)
        for line in (*places(row), _found_by(row)):
            if line:
                _line(console, line, "dim")
        for text in snippet(console, str(row["content"]), words):
            console.print(text, soft_wrap=True)
        if explain:
            _shares(console, row)
        console.print()


def query_words(query: str) -> list[str]:
    """The words of a query that are worth marking in a snippet."""
    import re

    return [word for word in re.findall(r"\w+", query) if len(word) > 2 or not word.isascii()]  # noqa: PLR2004 - "of", "in"


def places(row: Mapping[str, Any]) -> list[str]:
    """Where a result stands: its address, and its place in a local collection."""
    found = [one_line(row["url"])] if row["url"] else []
    locator = row["locator"]
    if locator:
        span = _span(locator["lines"]) if locator["lines"] else f" page {locator['page']}" if locator.get("page") else ""
        section = f" § {locator['section']}" if locator["section"] else ""
        found.append(one_line(f"{locator['corpus']} {locator['path']}{span}{section}"))
    return found


def _span(lines: Sequence[int]) -> str:
    return f":{lines[0]}" if lines[0] == lines[1] else f":{lines[0]}-{lines[1]}"


def snippet(console: Console, content: str, words: Sequence[str]) -> list[Text]:
    """At most three lines of ``content``, those where most of ``words`` occur, cut to the width of the console."""
    from rich.text import Text

    width = max(console.width - INDENT, 20)
    wrapped = Text(visible(content.expandtabs(4))).wrap(console, width)
    lines = [line for line in wrapped if line.plain.strip()]
    start = _best(lines, [word.casefold() for word in words])
    shown = []
    for line in _trimmed(lines[start : start + LINES]):
        line.rstrip()
        line.truncate(width, overflow="ellipsis")
        line.highlight_words(words, "bold yellow", case_sensitive=False)
        shown.append(Text(" " * INDENT) + line)
    return shown


def _trimmed(lines: Sequence[Text]) -> Sequence[Text]:
    """Without a fence, bracket or list mark alone on the first or last line: it says nothing there."""
    telling = [number for number, line in enumerate(lines) if not _is_bare(line.plain.strip())]
    return lines[telling[0] : telling[-1] + 1] if telling else ()


def _is_bare(line: str) -> bool:
    return line.startswith(("```", "~~~")) or not any(c.isalnum() for c in line) or (line[:-1].isdigit() and line[-1] in ".)")


def _best(lines: Sequence[Text], words: Sequence[str]) -> int:
    held = [{word for word in words if word in line.plain.casefold()} for line in lines]
    scores = [len(set().union(*held[start : start + LINES])) for start in range(max(len(lines) - LINES + 1, 1))]
    return scores.index(max(scores))


def _title(console: Console, row: Mapping[str, Any], roots: Mapping[str, str]) -> None:
    from rich.style import Style
    from rich.text import Text

    link = row["url"] or _file_link(row["locator"], roots)
    title = Text().append(f"{row['rank']:>2}. ", "cyan")
    title.append(one_line(row["title"]) or "(no title)", Style(bold=True, link=link or None))
    console.print(title, soft_wrap=True)


def _file_link(locator: Mapping[str, Any] | None, roots: Mapping[str, str]) -> str:
    root = roots.get(locator["corpus"]) if locator else None
    if root is None or locator is None:
        return ""
    import os
    from urllib.parse import quote

    return "file://" + quote(root if os.path.isfile(root) else os.path.join(root, locator["path"]))


def _found_by(row: Mapping[str, Any]) -> str:
    parts = [f"{share['source']} #{share['rank']}" for share in row["fused_from"]]
    parts += [f"version {one_line(row['version'])}"] if row["version"] else []
    parts += [one_line(row["published"])[:10]] if row["published"] else []
    parts += [one_line(row["label"])] if row.get("label") else []
    return " · ".join(parts)


def _shares(console: Console, row: Mapping[str, Any]) -> None:
    for share in row["fused_from"]:
        kind = ", by other words" if share.get("expansion") else ", few of the words there" if share.get("weak") else ""
        _line(
            console,
            f"{share['score']:.6f} from {share['source']}: rank {share['rank']}, weight {share['weight']:.3f}{kind}",
            "dim",
        )
    _line(console, f"{row['score']:.6f} in all", "dim")


def _line(console: Console, text: str, style: str) -> None:
    from rich.text import Text

    console.print(Text(" " * INDENT + text, style), soft_wrap=True)
