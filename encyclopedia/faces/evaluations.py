"""What a measurement was made with, and measurements that are kept, read again and compared."""

from __future__ import annotations

import json
import os
import platform
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia.ports import Package
from encyclopedia.stages.contrast import EQUAL, contrast
from encyclopedia.wiring import places
from encyclopedia.wiring.agent import VERSION
from encyclopedia.wiring.corpora import check_name
from encyclopedia.wiring.settings import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.faces.evaluate import Want
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.build import Engine

SUFFIX = ".json"
WITHOUT_INFLUENCE = ("limit", "log_level", "contact", "breaker.", "cache.", "history.", "sources.", "corpora.")
"""Settings that change no ranking, or that the measurement decides itself; tables stand with what they describe."""


def configuration(engine: Engine, wanted: Want, corpora: Mapping[str, Corpus]) -> dict[str, Any]:
    """Everything that may make another measurement of the same questions come out differently."""
    settings = {name: value for name, value in shown(engine.loaded).items() if not name.startswith(WITHOUT_INFLUENCE)}
    embedder = engine.embedder()
    return {
        "sources": [name for name in (*wanted.corpora, *wanted.sources) if name not in corpora],
        "corpora": {name: _corpus(engine, corpus) for name, corpus in corpora.items()},
        "limit": wanted.depth,
        "type": wanted.type,
        "correct": wanted.correct,
        "expand": wanted.expand,
        "settings": settings,
        "embedder": embedder.fingerprint if embedder else None,
        "versions": {"encyclopedia": VERSION, "python": platform.python_version(), **_libraries(engine, corpora)},
    }


def _corpus(engine: Engine, corpus: Corpus) -> dict[str, Any]:
    revision = engine.catalog[corpus.name].card.revision
    told = revision(engine.sources.context(corpus.name)) if revision else ""
    return {"kind": corpus.kind, "revision": told, "options": dict(corpus.options)}


def _libraries(engine: Engine, corpora: Mapping[str, Corpus]) -> dict[str, str]:
    """The versions of the libraries that the corpora are read with, as far as they are called as their modules are."""
    from contextlib import suppress
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    needs = {need for name in corpora for need in engine.catalog[name].card.requires}
    for module in sorted(need.module for need in needs if isinstance(need, Package)):
        with suppress(PackageNotFoundError):
            found[module] = version(module)
    return found


def save(home: str, name: str, body: Mapping[str, Any]) -> str:
    """Keep a measurement under a name, in the place of an older one; the path of its file."""
    check_name(name)
    folder = places.evaluations(home)
    os.makedirs(home, mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    target = f"{folder}/{name}{SUFFIX}"
    spare = f"{target}.{os.getpid()}"
    descriptor = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(body, file, indent=1)
    os.replace(spare, target)
    return target


def saved(home: str) -> list[str]:
    """The names of all measurements that are kept."""
    try:
        return sorted(name.removesuffix(SUFFIX) for name in os.listdir(places.evaluations(home)) if name.endswith(SUFFIX))
    except OSError:
        return []


def recall(home: str, name: str) -> dict[str, Any]:
    """The measurement that is kept under a name, or in the file of that path.

    Raises ``ConfigurationError`` if there is none, or if the file holds something else.
    """
    known = saved(home)
    path = f"{places.evaluations(home)}/{name}{SUFFIX}" if name in known else name
    if not os.path.isfile(path):
        raise ConfigurationError(
            f"no measurement is kept as {name!r}", nearest(name, known) if known else "--save NAME keeps one"
        )
    try:
        with open(path, encoding="utf-8") as file:
            body = json.load(file)
        rows = {row["id"]: row["metrics"] for row in body["queries"] if "metrics" in row}
        good = all(isinstance(value, int | float) for row in rows.values() for value in row.values())
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        good = False
    if not good:
        raise ConfigurationError(f"{path} holds no measurement", "give one that --save made, or the JSON of `eval --per-query`")
    found: dict[str, Any] = body
    return found


def compare(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What has changed for the questions that both measurements have: each measure, and each question that is not as before.

    ``differs`` holds what the two were made with, where that is not the same. Raises ``ConfigurationError`` if they share no
    question or no measure.
    """
    old, new = _measured(before), _measured(after)
    shared = [id for id in new if id in old]
    having = {name: [id for id in shared if all(name in one[id]["metrics"] for one in (old, new))] for name in after["metrics"]}
    names = [name for name, ids in having.items() if ids]
    if not shared or not names:
        missing = "measure" if shared else "question"
        raise ConfigurationError(f"{name} and this measurement have no {missing} in common", "compare the same gold set")
    values = {name: tuple([one[id]["metrics"][name] for id in having[name]] for one in (old, new)) for name in names}
    table = {name: contrast(*pair) for name, pair in values.items()}
    return {
        "with": name,
        "shared": len(shared),
        "only_before": [id for id in old if id not in new],
        "only_now": [id for id in new if id not in old],
        "judged_otherwise": [id for id in shared if sorted(old[id]["expected"]) != sorted(new[id]["expected"])],
        "differs": {key: list(pair) for key, pair in _differences(before, after)},
        "metrics": {name: {**row._asdict(), "difference": row.difference} for name, row in table.items()},
        "changed": _changed(old, new, shared, names),
    }


def _measured(body: Mapping[str, Any]) -> dict[str, Any]:
    return {row["id"]: row for row in body["queries"] if "metrics" in row}


def _changed(old: Mapping[str, Any], new: Mapping[str, Any], shared: list[str], names: list[str]) -> list[dict[str, Any]]:
    """The questions whose measures are not as before, those that lost most first."""
    main = max((name for name in names if name.startswith("ndcg@")), key=lambda name: int(name[5:]), default=names[0])
    rows = []
    for id in shared:
        was, now = old[id]["metrics"], new[id]["metrics"]
        both = [name for name in names if name in was and name in now]
        if any(abs(now[name] - was[name]) > EQUAL for name in both):
            told = main if main in both else both[0]
            row = {"id": id, "query": new[id]["query"], main: [was[told], now[told]]}
            rows.append(row | {"places": [old[id].get("places"), new[id].get("places")]})
    return sorted(rows, key=lambda row: row[main][1] - row[main][0])


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, tuple[object, object]]]:
    old, new = (dict(_flat({"gold": body.get("gold"), **body.get("configuration", {})})) for body in (before, after))
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield key, (old.get(key), new.get(key))


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
