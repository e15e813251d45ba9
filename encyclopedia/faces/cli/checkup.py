"""The checks of ``doctor``: the interpreter, files and their modes, settings, sources, stores, indexes, libraries."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia.wiring.build import Engine

LIBRARIES = {
    "aiohttp": "sources on the network",
    "diskcache": "stored answers",
    "griffe": "docstrings of installed packages",
    "jmespath": "sources described in the settings",
    "pybreaker": "leaving failing sources alone",
    "rapidfuzz": "spelling correction",
    "tantivy": "local indexes",
    "Stemmer": "local indexes",
    "structlog": "logs",
}


def checkup() -> list[dict[str, Any]]:
    """All checks: ``check``, ``status`` (ok, off, warn, broken), ``detail``, ``hint``.

    Reads only; opens no socket but the one to the state that replicas share, if there is any.
    """
    home = workplace.home()
    rows = [_python(), *_files(home), *_libraries(), _terminal()]
    try:
        from encyclopedia.faces.library import Encyclopedia

        engine = Encyclopedia().engine
    except ConfigurationError as error:
        return [*rows, _row("settings", "broken", error.message, error.hint)]
    return [
        *rows,
        _row("settings", "ok", _origins(engine)),
        *_sources(engine),
        *_commands(engine),
        _shared(engine),
        *_stores(engine),
        _near(engine),
        _model(engine),
        *_corpora(engine),
    ]


def _row(check: str, status: str, detail: str, hint: str = "") -> dict[str, Any]:
    return {"check": check, "status": status, "detail": detail, "hint": hint or None}


def _python() -> dict[str, Any]:
    from encyclopedia.wiring.agent import VERSION

    version = ".".join(map(str, sys.version_info[:3]))
    return _row("python", "ok", f"{sys.implementation.name} {version} on {sys.platform}, encyclopedia {VERSION}")


def _files(home: str) -> Iterator[dict[str, Any]]:
    if os.path.isdir(home):
        yield _mode("home", home, "chmod 700")
    else:
        yield _row("home", "ok", f"{home} does not exist yet; it is made when there is something to keep")
    own, here = f"{home}/.env.local", os.path.abspath(".env.local") if os.path.exists(".env.local") else ""
    for path in dict.fromkeys((places.config_file(home), own, here)):
        if os.path.exists(path):
            yield _mode(os.path.basename(path), path, "chmod 600")


def _mode(check: str, path: str, remedy: str) -> dict[str, Any]:
    mode = os.stat(path).st_mode & 0o777
    if mode & 0o077:
        return _row(check, "warn", f"{path} is open to others ({mode:04o})", f"{remedy} {path}")
    return _row(check, "ok", f"{path} ({mode:04o})")


def _libraries() -> Iterator[dict[str, Any]]:
    from encyclopedia.wiring.requirements import installed

    for module, use in LIBRARIES.items():
        if not installed(module):
            yield _row(module, "warn", f"{module} is not installed: no {use}", f"pip install {module.lower()}")


def _terminal() -> dict[str, Any]:
    shown = "a terminal" if sys.stdout.isatty() else "a pipe or file: results are JSON"
    colour = "no colours (NO_COLOR)" if os.environ.get("NO_COLOR") else f"TERM={os.environ.get('TERM', '')}"
    return _row("terminal", "ok", f"stdout is {shown}; {sys.stdout.encoding}; {colour}")


def _origins(engine: Engine) -> str:
    origins = list(engine.loaded.origins.values())
    changed = len(origins) - origins.count("default")
    return f"{changed} set, {origins.count('default')} at their defaults"


def _sources(engine: Engine) -> Iterator[dict[str, Any]]:
    from encyclopedia.faces.cli.sources import source_rows
    from encyclopedia.faces.standing import remedy

    for row in source_rows(engine):
        candidate = engine.catalog[row["source"]].candidate
        name, hint = f"source {row['source']}", row["hint"] or ""
        if candidate.missing:
            yield _row(name, "off" if candidate.optional else "broken", candidate.missing, hint)
        elif row["health"]:
            held = row["breaker"] in ("open", "rate_limited")
            yield _row(name, "warn", row["health"], remedy(engine.catalog[row["source"]], held=held))
        else:
            yield _row(name, "ok", row["state"] or "ready")


def _commands(engine: Engine) -> Iterator[dict[str, Any]]:
    """Warns of a program that has the name of a service and lists files."""
    from encyclopedia.wiring.clis import lists_files

    program = engine.loaded.environment.secret("EXA_CLI")
    if program and lists_files(program):
        yield _row("EXA_CLI", "warn", f"{program} is the program that lists files, not Exa's", "set EXA_CLI=exa-mcp-server")


def _shared(engine: Engine) -> dict[str, Any]:
    """Whether what replicas share can be had just now."""
    from encyclopedia.wiring.shared import INSTEAD, SHARED

    shared = engine.stores.shared
    if shared is None:
        lacking = dict(engine.stores.absent).get(SHARED, "")
        return _row(SHARED, "warn" if lacking else "off", lacking or "this machine keeps its own; state_url is not set")
    try:
        return _row(SHARED, "ok", shared.look())
    except OSError as error:
        return _row(SHARED, "warn", f"{error}; {INSTEAD}", "start the server, or mend state_url")


def _stores(engine: Engine) -> Iterator[dict[str, Any]]:
    stores, absent = engine.stores, dict(engine.stores.absent)
    kept: dict[str, tuple[Any, Callable[[Any], object]]] = {
        "circuit": (stores.circuit, lambda circuit: circuit.health(engine.catalog)),
        "cache": (stores.cache, lambda cache: cache.stats()),
        "history": (stores.history, lambda history: history.read(1)),
    }
    for name, (store, look) in kept.items():
        if store is None:
            yield _row(f"store {name}", "warn" if name in absent else "off", absent.get(name, "switched off"))
            continue
        try:
            look(store)
        except Exception as error:  # noqa: BLE001 - a store may raise what it likes, and the other checks are to be seen too
            yield _row(f"store {name}", "broken", f"it cannot be read: {error}", f"look at the files in {engine.loaded.home}")
            continue
        problem = getattr(store, "problem", "") or (stores.records_problem if name == "circuit" else "") or absent.get(name, "")
        yield _row(f"store {name}", "warn" if problem else "ok", problem or "works")


def _near(engine: Engine) -> dict[str, Any]:
    """Whether a question in other words finds its answer, and how many could."""
    from encyclopedia.wiring.requirements import Absent
    from encyclopedia.wiring.stores import NEAR

    name, near, about = "similar questions", engine.stores.near, engine.embedder.about()
    if near is None:
        return _row(name, "off", dict(engine.stores.absent).get(NEAR, "the cache is switched off"))
    if isinstance(about, Absent):
        return _row(name, "off", f"only the very words find an answer: {about.reason}", about.hint)
    try:
        questions, vectors = near.counted()
    except Exception as error:  # noqa: BLE001 - as any store
        return _row(name, "broken", f"they cannot be read: {error}", f"look at the files in {engine.loaded.home}")
    return _row(name, "ok", f"{questions} are stored, {vectors} with a vector; the others get theirs at the first look")


def _model(engine: Engine) -> dict[str, Any]:
    """Whether texts can become vectors; a setting that cannot be met is a warning, for the words are searched anyway."""
    from encyclopedia.wiring.embedders import AUTO, OFF
    from encyclopedia.wiring.requirements import Absent

    about, settings = engine.embedder.about(), engine.loaded.settings.embedder
    if not isinstance(about, Absent):
        return _row("model", "ok", f"{about['model']} on {engine.embedder.use}, {about['weights']}")
    wanted = settings.use not in (AUTO, OFF) or settings.path or settings.model
    return _row("model", "warn" if wanted else "off", f"no search by meaning: {about.reason}", about.hint)


def _corpora(engine: Engine) -> Iterator[dict[str, Any]]:
    from encyclopedia.faces.cli.collections import standing
    from encyclopedia.wiring.corpora import registered

    for corpus in registered(engine.loaded):
        row = standing(corpus, engine.groups)
        problems = "; ".join(row["problems"][:3])
        hint = f"`encyclopedia corpus check {corpus.name}` lists all" if problems else ""
        gone = not os.path.exists(corpus.path)
        status = "broken" if gone else "warn" if problems else "ok"
        where = f" on {corpus.engine}" if corpus.engine else ""
        yield _row(f"corpus {corpus.name}", status, problems or f"{row['documents']} documents{where}", hint)
