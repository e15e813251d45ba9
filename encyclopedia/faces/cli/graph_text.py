"""What ``encyclopedia graph`` shows a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.tables import counted, print_table
from encyclopedia.faces.cli.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

    Body = Mapping[str, Any]

_BOOKS = ("chapters", "sections", "concepts", "relations")


def _line(console: Console, text: str, style: str = "") -> None:
    indent = text[: len(text) - len(text.lstrip())]
    console.print(indent + one_line(text), style=style, markup=False, highlight=False, soft_wrap=True)


def _notes(console: Console, body: Body) -> None:
    for note in body.get("notes", ()):
        _line(console, f"! {note}", "yellow")


def _books(console: Console, body: Body) -> None:
    rows = [[book["id"], *(f"{book[name]:,}" for name in _BOOKS), book["title"]] for book in body["books"]]
    print_table(console, ("book", *_BOOKS, "title"), rows)
    _notes(console, body)


def _match(console: Console, body: Body) -> None:
    rows = [
        [f"{row['score']:.3f}", row["name"], ", ".join(row.get("book_ids", (row["book_id"],))), row["id"]]
        for row in body["matched_concepts"]
    ]
    if rows:
        print_table(console, ("score", "concept", "book", "id"), rows)
        _line(console, f"consultation {body['consultation_id']}", "dim")
    _notes(console, body)


def _subgraph(console: Console, body: Body) -> None:
    names = {node["id"]: node["name"] for node in body["nodes"]}
    for edge in body["edges"]:
        told = f"{names[edge['from']]} —{edge['type'].replace('_', ' ')}→ {names[edge['to']]}"
        _line(console, f"{edge['confidence']:.2f}  {told}  [{', '.join(edge['book_ids'])}]")
        if edge.get("description"):
            _line(console, f"      {edge['description']}", "dim")
    cut = body["cut"]
    _line(console, f"{counted(body['node_count'], 'concept')}, {counted(body['edge_count'], 'relation')}", "bold")
    if cut["edges"]:
        _line(console, f"! {counted(cut['edges'], 'relation')} more left out; --edges N shows more", "yellow")
    if "stopped_after" in cut:
        _line(console, f"! only the first {cut['stopped_after']:,} relations were looked at", "yellow")
    _notes(console, body)


def _ask(console: Console, body: Body) -> None:
    for number, row in enumerate(body["passages"], 1):
        _line(console, f"{number}. {row['title']} — {row['book_title']}", "bold")
        lines = f", lines {row['lines'][0]} to {row['lines'][1]}" if row["lines"] else ""
        pages = f", pages {row['pages']}" if row["pages"] else ""
        _line(
            console,
            f"   [{row['book_id']}] chapter {row['chapter']}{pages} · {row['path']}{lines} · {row['section_id']}",
            "dim",
        )
        console.print(visible(row["content"]), markup=False, highlight=False)
        console.print()
    if body["suggested_questions"]:
        _line(console, "You might also ask:", "bold")
    for question in body["suggested_questions"]:
        _line(console, f"  {question}", "cyan")
    _notes(console, body)


def _started(console: Console, body: Body) -> None:
    _line(console, f"project {body['project_id']}: {', '.join(body['triaged_book_ids']) or 'no books'}")
    _line(console, f"`encyclopedia graph project build {body['project_id']}` joins what is the same", "dim")


def _built(console: Console, body: Body) -> None:
    if body["skipped"]:
        _line(console, f"project {body['project_id']} is built already")
    else:
        pairs = body["pairs"]
        _line(console, f"project {body['project_id']}: {pairs['adjudicated']} pairs adjudicated, {pairs['reused']} reused")
    told = f"{body['concepts']} concepts of {counted(len(body['books']), 'book')} are {body['canonical_concepts']}"
    _line(console, f"{told}, {body['merged']} of them in several books")


def _projects(console: Console, body: Body) -> None:
    rows = [
        [one["project_id"], "built" if one["built"] else "not built", f"{one['merged']}", one["name"]]
        for one in body["projects"]
    ]
    if rows:
        print_table(console, ("project", "state", "merged", "name"), rows)
    else:
        _line(console, "no project yet: `encyclopedia graph project start NAME` makes one")


def _merges(console: Console, body: Body) -> None:
    for row in body["merged"]:
        _line(console, f"{row['name']}: {', '.join(member['id'] for member in row['members'])}")
    for row in body["declined"]:
        _line(console, f"! {row['one']} and {row['other']} were not joined: {row['reason']}", "yellow")


def _exported(console: Console, body: Body) -> None:
    told = ", ".join(f"{body[name]:,} {name}" for name in ("books", "concepts", "sections", "relationships"))
    _line(console, f"wrote {told} to {body['folder']}")


def _taken(console: Console, body: Body) -> None:
    head = f"imported as {body['imported']}" if "imported" in body else f"forgot {body['dropped']}"
    numbers = ", ".join(f"{body[name]} {name}" for name in ("added", "changed", "removed", "unchanged") if body[name])
    _line(console, f"{head}: {numbers or 'nothing to do'}")
    for one in body["skipped"]:
        _line(console, f"  skipped {one['path']}: {one['reason']}", "yellow")


PRINTERS: Mapping[str, Callable[[Console, Body], None]] = {
    "list_books": _books,
    "match_concepts": _match,
    "get_subgraph": _subgraph,
    "ask_book": _ask,
    "start_project": _started,
    "build_project_kg": _built,
    "list_projects": _projects,
    "merges": _merges,
    "export": _exported,
    "take_in": _taken,
    "drop": _taken,
}
"""The readable form of each verb's body."""
