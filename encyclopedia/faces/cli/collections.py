"""How local collections stand: list, show and check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace
from encyclopedia.faces.cli.tables import counted, flow, print_fields
from encyclopedia.faces.cli.visible import one_line
from encyclopedia.faces.standing import age
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.kinds import corpus_kind

if TYPE_CHECKING:
    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.build import Engine
    from encyclopedia.wiring.catalog import Catalog
    from encyclopedia.wiring.settings import Loaded

NUMBERS = ("documents", "passages", "bytes", "indexed_at", "added", "changed", "removed")
INDENT = 4
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
        "label": str(corpus.label),
    } | {name: told for name, told in (("options", dict(corpus.options)), ("engine", corpus.engine)) if told}


def standing(corpus: Corpus, groups: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The registration with how the corpus stands; a kind that cannot be read is a problem, not an error."""
    row = corpus_row(corpus)
    try:
        report = corpus_kind(groups, corpus.kind).report(corpus)
    except ConfigurationError as error:
        return row | {"problems": [error.message], "skipped": [], "document_tags": {}} | dict.fromkeys(NUMBERS)
    numbers = {name: getattr(report, name) for name in NUMBERS}
    skipped = [{"path": path, "reason": reason} for path, reason in report.skipped]
    numbers |= {"counts": dict(report.counts)} if report.counts else {}
    return row | numbers | {"problems": list(report.problems), "skipped": skipped, "document_tags": dict(report.tags)}


def list_all(output: Output, _arguments: Any) -> int:
    """All corpora, and the indexes of built-in sources."""
    rows, engine = _standings(workplace.loaded()), _engine()
    indexes = [_built_in(engine, name) for name in built_in(engine.catalog)]
    body = {"schema_version": 1, "status": "success", "corpora": rows, "indexes": indexes}
    output.show(body, lambda console: _print_list(console, rows, indexes))
    return 0


def show_one(output: Output, arguments: Any) -> int:
    """One corpus, or the index of a built-in source, or one document of a corpus."""
    engine = _engine()
    if arguments.document:
        from encyclopedia.faces.cli.document import show_document

        return show_document(output, engine, arguments.name, arguments.document)
    if arguments.name in built_in(engine.catalog):
        row = _built_in(engine, arguments.name)
    else:
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
    from encyclopedia.model.nearest import nearest
    from encyclopedia.wiring.corpora import damaged, registered
    from encyclopedia.wiring.plugins import entry_points

    found = {corpus.name: corpus for corpus in registered(loaded)}
    lost = damaged(loaded.home)
    for name in names:
        if name not in found and name not in lost:
            raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, found) if found else HOW_TO_ADD)
    groups = entry_points()
    every = names or (*found, *lost)
    return [standing(found[name], groups) if name in found else _lost(name, lost[name]) for name in every]


def _engine() -> Engine:
    from encyclopedia.faces.library import Encyclopedia

    return Encyclopedia().engine


def built_in(catalog: Catalog) -> list[str]:
    """The sources that have an index and are no corpora."""
    return sorted(name for name, entry in catalog.items() if entry.card.report and not entry.card.corpus)


def _built_in(engine: Engine, name: str) -> dict[str, Any]:
    """The row of the index of a built-in source."""
    entry = engine.catalog[name]
    row: dict[str, Any] = {"name": name, "kind": "built-in", "path": "", "tags": [], "private": False, "label": "public"}
    row["serves"] = {kind.value: weight for kind, weight in entry.candidate.serves.items()}
    if entry.candidate.missing or entry.card.report is None:
        problems, numbers, skipped = [entry.candidate.missing], dict.fromkeys(NUMBERS), []
    else:
        report = entry.card.report(engine.sources.context(name))
        problems, numbers = list(report.problems), {number: getattr(report, number) for number in NUMBERS}
        skipped = [{"path": path, "reason": reason} for path, reason in report.skipped]
    told = engine.sources.state(name) or entry.candidate.missing
    return row | numbers | {"problems": problems, "skipped": skipped, "document_tags": {}, "state": told}


def _lost(name: str, reason: str) -> dict[str, Any]:
    """The row of a registration that cannot be used."""
    row: dict[str, Any] = {
        "name": name,
        "kind": "",
        "path": "",
        "serves": {},
        "tags": [],
        "private": None,
        "label": None,
        **dict.fromkeys(NUMBERS),
    }
    return row | {
        "problems": [reason, f"`encyclopedia corpus remove {name}`, and add it again"],
        "skipped": [],
        "document_tags": {},
    }


def _changes(row: dict[str, Any]) -> str:
    return ", ".join(f"{row[word]} {word}" for word in ("added", "changed", "removed") if row[word])


def _age(row: dict[str, Any]) -> str:
    from time import time

    return f"{age(max(time() - row['indexed_at'], 0))} ago" if row["indexed_at"] else "never"


def _state(row: dict[str, Any]) -> str:
    if "state" in row:  # a built-in source says it itself
        return str(row["state"])
    if row["problems"]:
        return counted(len(row["problems"]), "problem")
    changes = _changes(row)
    return f"{changes} since it was indexed" if changes else "up to date" if row["indexed_at"] else "not indexed"


def _print_list(console: Console, rows: Any, indexes: Any) -> None:
    from rich.text import Text

    wide = max((len(row["name"]) for row in (*rows, *indexes)), default=0) + 2
    for row in (*rows, *indexes):
        console.print(Text(f"{row['name']:<{wide}}", "bold").append(row["kind"] or "damaged", "not bold dim"), soft_wrap=True)
        told = [
            counted(row[noun], noun.removesuffix("s")) for noun in ("documents", "passages") if row[noun] and "state" not in row
        ]
        told += [f"indexed {_age(row)}"] if row["indexed_at"] else []
        for line in (*flow([*told, _state(row)], console.width - INDENT), *_folded(row["path"], console.width - INDENT)):
            console.print(Text(" " * INDENT + line, "yellow" if row["problems"] and "state" not in row else ""), soft_wrap=True)
    if not rows:
        console.print(f"no corpus yet: {HOW_TO_ADD}", soft_wrap=True)


def _folded(path: str, width: int) -> list[str]:
    """A path in lines that end at its slashes where they can."""
    lines = [""]
    for part in one_line(path).replace("/", "/\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return [line for line in lines if line]


def _print_one(console: Console, row: dict[str, Any]) -> None:
    tags = ", ".join(f"{tag} ({number})" for tag, number in row["document_tags"].items())
    fields = {name: row[name] for name in ("name", "kind", "path", "documents", "passages", "bytes")}
    fields["engine"] = row.get("engine")
    fields |= {"serves": ", ".join(f"{kind} {weight:g}" for kind, weight in row["serves"].items())}
    fields["bytes"] = fields["bytes"] or None
    fields |= {"tags": ", ".join(row["tags"]), "label": row["label"]}
    fields |= {name: f"{number:,}" for name, number in row.get("counts", {}).items()}
    fields["options"] = ", ".join(f"{name}={value}" for name, value in row.get("options", {}).items())
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
