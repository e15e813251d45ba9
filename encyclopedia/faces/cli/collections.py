"""How local collections stand: list, show and check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace
from encyclopedia.faces.cli.remarks import age
from encyclopedia.faces.cli.tables import print_fields, print_table
from encyclopedia.faces.cli.visible import one_line
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.settings import Loaded

NUMBERS = ("documents", "passages", "bytes", "indexed_at", "added", "changed", "removed")
HOW_TO_ADD = "`encyclopedia corpus add NAME PATH` registers a folder of documents"


def corpus_row(corpus: Corpus) -> dict[str, Any]:
    """The JSON form of a registration."""
    return {
        "name": corpus.name,
        "kind": corpus.kind,
        "path": corpus.path,
        "serves": {kind.value: weight for kind, weight in corpus.serves.items()},
        "tags": list(corpus.tags),
        "private": corpus.private,
    }


def standing(corpus: Corpus, groups: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The registration with how the corpus stands; a kind that cannot be read is a problem, not an error."""
    row = corpus_row(corpus)
    try:
        report = workplace.corpus_kind(groups, corpus.kind).report(corpus)
    except ConfigurationError as error:
        return row | {"problems": [error.message], "skipped": [], "document_tags": {}} | dict.fromkeys(NUMBERS)
    numbers = {name: getattr(report, name) for name in NUMBERS}
    skipped = [{"path": path, "reason": reason} for path, reason in report.skipped]
    return row | numbers | {"problems": list(report.problems), "skipped": skipped, "document_tags": dict(report.tags)}


def list_all(output: Output, _arguments: Any) -> int:
    """All corpora."""
    rows = _standings(workplace.loaded())
    body = {"schema_version": 1, "status": "success", "corpora": rows}
    output.show(body, lambda console: _print_list(console, rows))
    return 0


def show_one(output: Output, arguments: Any) -> int:
    """One corpus."""
    row = _standings(workplace.loaded(), (arguments.name,))[0]
    output.show({"schema_version": 1, "status": "success", **row}, lambda console: _print_one(console, row))
    return 0


def check(output: Output, arguments: Any) -> int:
    """What is wrong with the named corpora, or with all; exit code 1 if anything is."""
    rows = _standings(workplace.loaded(), tuple(arguments.names))
    bad = [row["name"] for row in rows if row["problems"]]
    body: dict[str, Any] = {"schema_version": 1, "status": "error" if bad else "success"}
    if bad:
        hint = "mend or move what is named, then `encyclopedia corpus index NAME`"
        body |= {"code": 1, "message": f"problems with {', '.join(bad)}", "hint": hint}
    output.show(body | {"corpora": rows}, lambda console: _print_check(console, rows))
    return 1 if bad else 0


def _standings(loaded: Loaded, names: tuple[str, ...] = ()) -> Any:
    from encyclopedia.wiring.corpora import registered
    from encyclopedia.wiring.nearest import nearest
    from encyclopedia.wiring.plugins import entry_points

    found = {corpus.name: corpus for corpus in registered(loaded.home, loaded.settings)}
    for name in names:
        if name not in found:
            raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, found) if found else HOW_TO_ADD)
    groups = entry_points()
    return [standing(found[name], groups) for name in names or found]


def _changes(row: dict[str, Any]) -> str:
    return ", ".join(f"{row[word]} {word}" for word in ("added", "changed", "removed") if row[word])


def _age(row: dict[str, Any]) -> str:
    from time import time

    return f"{age(max(time() - row['indexed_at'], 0))} ago" if row["indexed_at"] else "never"


def _state(row: dict[str, Any]) -> str:
    if row["problems"]:
        return f"{len(row['problems'])} problems"
    changes = _changes(row)
    return f"{changes} since it was indexed" if changes else "up to date" if row["indexed_at"] else "not indexed"


def _print_list(console: Console, rows: Any) -> None:
    if not rows:
        console.print(f"no corpus yet: {HOW_TO_ADD}", soft_wrap=True)
        return
    table = [
        (row["name"], row["kind"], str(row["documents"]), str(row["passages"]), _age(row), _state(row), row["path"])
        for row in rows
    ]
    print_table(console, ("corpus", "kind", "documents", "passages", "indexed", "state", "path"), table)


def _print_one(console: Console, row: dict[str, Any]) -> None:
    tags = ", ".join(f"{tag} ({number})" for tag, number in row["document_tags"].items())
    fields = {name: row[name] for name in ("name", "kind", "path", "documents", "passages", "bytes")}
    fields |= {"serves": ", ".join(f"{kind} {weight:g}" for kind, weight in row["serves"].items())}
    fields |= {"tags": ", ".join(row["tags"]), "private": "yes" if row["private"] else "no"}
    print_fields(console, fields | {"indexed": _age(row), "state": _state(row), "document tags": tags})
    for problem in row["problems"]:
        console.print(f"! {one_line(problem)}", style="yellow", soft_wrap=True)


def _print_check(console: Console, rows: Any) -> None:
    for row in rows:
        console.print(f"{row['name']}: {_state(row)}", style="yellow" if row["problems"] else "", soft_wrap=True)
        for problem in row["problems"]:
            console.print(f"  ! {one_line(problem)}", soft_wrap=True)
    if not rows:
        console.print("no corpus yet")
