"""One document of a corpus: its parts, its label, where it links to, and who links to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.tables import counted, print_fields
from encyclopedia.faces.cli.visible import one_line
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.wiring.build import Engine


def show_document(output: Output, engine: Engine, name: str, path: str) -> int:
    """Show what the kind of the corpus tells of a document. Raises ``ConfigurationError`` for one that tells nothing."""
    from encyclopedia.model.nearest import nearest
    from encyclopedia.wiring.corpora import registered
    from encyclopedia.wiring.kinds import corpus_kind

    corpora = {corpus.name: corpus for corpus in registered(engine.loaded)}
    if name not in corpora:
        raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, corpora))
    corpus = corpora[name]
    tell = getattr(corpus_kind(engine.groups, corpus.kind), "document", None)
    if tell is None:
        raise ConfigurationError(f"a corpus of kind {corpus.kind} has no single documents to show", "leave --document out")
    row = tell(corpus, path)
    output.show({"schema_version": 1, "status": "success", "corpus": name, **row}, lambda console: _print(console, row))
    return 0


def _print(console: Console, row: dict[str, Any]) -> None:
    fields = {name: row[name] for name in ("path", "title", "label", "status", "date")}
    fields |= {name: ", ".join(row[name]) for name in ("tags", "aliases")}
    print_fields(console, fields | {"parts": counted(len(row["parts"]), "part")})
    for part in row["parts"]:
        _line(console, part["section"] or "(no heading)", part)
    for title, links in (("links", row["links"]), ("linked from", row["backlinks"])):
        if links:
            console.print(f"{title}:", style="bold")
        for link in links:
            target = link.get("target")
            told = link["path"] if target is None else f"{target} -> {link['path'] or 'nothing here'}"
            _line(console, told, link)


def _line(console: Console, text: str, place: dict[str, Any]) -> None:
    lines, page, section = place.get("lines"), place.get("page"), place.get("section")
    where = _span(lines) if lines else f" page {page}" if page else ""
    inside = f" § {one_line(section)}" if section and section != text else ""
    console.print(f"    {one_line(text)}{where}{inside}", soft_wrap=True, markup=False)


def _span(lines: list[int]) -> str:
    return f" line {lines[0]}" if lines[0] == lines[1] else f" lines {lines[0]}-{lines[1]}"
