"""The register of local corpora: one folder for each under the data folder, or a table in the configuration file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import NAMES, Label, named
from encyclopedia.model.nearest import nearest
from encyclopedia.model.query import QueryType
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.settings import Loaded

FILE = "corpus.json"
SERVES = {QueryType.LIBRARY_DOCS: 0.4, QueryType.GENERAL_SEARCH: 0.4}
OPTIONS = ("path", "kind", "serves", "tags", "private", "label", "engine")
NAME_LENGTH = 64


def registered(loaded: Loaded) -> tuple[Corpus, ...]:
    """All corpora by name; a table in the file wins over a registration of the same name, and damaged ones are left out.

    What the addresses of engines leave to the environment is read from that of ``loaded``.
    """
    home = loaded.home
    stored = (_corpus_or_reason(home, name, table) for name, table in _stored(home).items())
    found = {corpus.name: corpus for corpus in stored if not isinstance(corpus, str)}
    found |= {name: _corpus(home, name, table) for name, table in loaded.settings.corpora.items()}
    return tuple(found[name]._replace(secret=loaded.environment.secret) for name in sorted(found))


def visible(loaded: Loaded) -> tuple[Corpus, ...]:
    """The registered corpora that may be shown: those whose own label is not above the ceiling."""
    return tuple(corpus for corpus in registered(loaded) if corpus.label <= loaded.ceiling)


def withheld(loaded: Loaded) -> tuple[str, ...]:
    """The names of the corpora that may not be shown; of damaged registrations nobody can tell how sensitive they are."""
    if loaded.ceiling is Label.SECRET:
        return ()
    above = [corpus.name for corpus in registered(loaded) if corpus.label > loaded.ceiling]
    return (*above, *damaged(loaded.home))


def damaged(home: str) -> dict[str, str]:
    """Registrations that cannot be used, by name, each with the reason: one of them must not cost the others."""
    read = {name: _corpus_or_reason(home, name, table) for name, table in _stored(home).items()}
    return {name: reason for name, reason in read.items() if isinstance(reason, str)}


def add(home: str, corpus: Mapping[str, object], taken: frozenset[str]) -> Corpus:
    """Register a corpus: ``name``, ``path``, the other ``OPTIONS`` and those of its kind.

    Raises ``ConfigurationError`` if that cannot be.
    """
    name = str(corpus["name"])
    if name in _stored(home):
        raise ConfigurationError(f"corpus {name} exists already", _remedy(name))
    if name in taken:
        raise ConfigurationError(f"{name} is the name of a source", "choose another name for the corpus")
    made = _corpus(home, name, {key: value for key, value in corpus.items() if key != "name"})
    if not os.path.exists(made.path):
        raise ConfigurationError(f"{made.path} does not exist", "give the folder or file that holds the documents")
    if not os.path.isdir(made.path) and not os.path.isfile(made.path):
        raise ConfigurationError(f"{made.path} is neither a folder nor a file", "give one that holds the documents")
    _write(made)
    return made


def _remedy(name: str) -> str:
    return f"`encyclopedia corpus index {name}` brings it up to date, `encyclopedia corpus remove {name}` frees the name"


def moved(corpus: Corpus, engine: str) -> Corpus:
    """Register the same corpus with its passages elsewhere."""
    made = corpus._replace(engine=engine)
    _write(made)
    return made


def remove(home: str, name: str) -> None:
    """Forget a registered corpus and delete its index; the documents themselves are not touched."""
    stored = _stored(home)
    if name not in stored:
        raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, stored))
    import shutil

    shutil.rmtree(f"{places.corpora(home)}/{name}")


def _stored(home: str) -> dict[str, object]:
    """What the registrations hold, by name; ``None`` for one that cannot be read."""
    import json

    try:
        names = sorted(os.listdir(places.corpora(home)))
    except OSError:
        return {}
    found: dict[str, object] = {}
    for name in names:
        try:
            with open(f"{places.corpora(home)}/{name}/{FILE}", encoding="utf-8") as file:
                found[name] = json.load(file)
        except (FileNotFoundError, NotADirectoryError):  # being added or removed, or nothing of ours
            continue
        except (OSError, ValueError, RecursionError):
            found[name] = None
    return found


def _corpus_or_reason(home: str, name: str, table: object) -> Corpus | str:
    """The corpus of a registration, or what is wrong with that."""
    if not isinstance(table, dict):
        return f"{places.corpora(home)}/{name}/{FILE} is damaged"
    try:
        return _corpus(home, name, table)
    except ConfigurationError as error:
        return error.message


def _write(corpus: Corpus) -> None:
    import json

    for folder in (os.path.dirname(os.path.dirname(corpus.folder)), os.path.dirname(corpus.folder), corpus.folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    body = {
        "path": corpus.path,
        "kind": corpus.kind,
        "serves": {kind.value: weight for kind, weight in corpus.serves.items()},
        "tags": list(corpus.tags),
        "label": str(corpus.label),
        **({"engine": corpus.engine} if corpus.engine else {}),
        **corpus.options,
    }
    target = f"{corpus.folder}/{FILE}"
    spare = f"{target}.{os.getpid()}"  # two processes that add the same name must not write into one another's file
    descriptor = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(body, file, ensure_ascii=False, indent=1)
    os.replace(spare, target)


def _corpus(home: str, name: str, table: Mapping[str, Any]) -> Corpus:
    check_name(name)
    kind = str(table.get("kind", "documents"))
    options = _options(name, kind, table)
    path = table.get("path")
    if not isinstance(path, str) or not path or "\0" in path:
        raise ConfigurationError(f"corpus {name} has no path", f"set corpora.{name}.path")
    from encyclopedia.model.corpus import Corpus

    return Corpus(
        name=name,
        path=os.path.abspath(os.path.expanduser(path)),
        kind=kind,
        folder=f"{places.corpora(home)}/{name}",
        serves=weights(table.get("serves"), f"corpora.{name}.serves") or SERVES,
        tags=_tags(name, table.get("tags", ())),
        label=_label(name, table),
        options=options,
        engine=_engine(name, kind, table.get("engine", "")),
    )


def _engine(name: str, kind: str, address: object) -> str:
    """The address of the engine, empty without one. The kind is asked only if there is one."""
    if not isinstance(address, str):
        raise ConfigurationError(f"corpora.{name}.engine cannot be {address!r}", "it takes an address, or nothing")
    if address:
        check = getattr(_kind(kind), "check_engine", None)
        if check is None:
            raise ConfigurationError(
                f"corpus {name}: corpora of kind {kind} live in a folder", f"leave corpora.{name}.engine out"
            )
        check(address, f"corpora.{name}.engine")
    return address


def _kind(kind: str) -> Any:
    from encyclopedia.wiring.plugins import entry_points
    from encyclopedia.wiring.requirements import plugin

    kinds = entry_points().get("encyclopedia.corpora", {})
    return plugin(kinds[kind]) if kind in kinds else None


def _options(name: str, kind: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that belong to the kind. The kind is loaded only to ask which it takes, if there are any."""
    found = {key: value for key, value in table.items() if key not in OPTIONS}
    if not found:
        return found
    known = (*OPTIONS, *getattr(_kind(kind), "options", ()))
    for option in found:
        if option not in known:
            raise ConfigurationError(f"unknown setting corpora.{name}.{option}", nearest(option, known))
    return found


def _tags(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(tag, str) for tag in value):
        raise ConfigurationError(f"corpora.{name}.tags cannot be {value!r}", 'it takes a list of words, for example ["work"]')
    return tuple(value)


def _label(name: str, table: Mapping[str, Any]) -> Label:
    """The label of the corpus; ``private`` is the older word for personal."""
    private, given = table.get("private", False), table.get("label", str(Label.PUBLIC))
    if not isinstance(private, bool):
        raise ConfigurationError(f"corpora.{name}.private cannot be {private!r}", "it takes true or false")
    label = named(given) if isinstance(given, str) else None
    if label is None:
        raise ConfigurationError(f"corpora.{name}.label cannot be {given!r}", nearest(str(given), NAMES))
    return max(label, Label.PERSONAL) if private else label


def check_name(name: str) -> None:
    """Raise ``ConfigurationError`` unless ``name`` is plain: letters, digits, - and _, beginning with a letter or digit."""
    plain = name.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and name[0] not in "-_" and len(name) <= NAME_LENGTH):
        raise ConfigurationError(f"{name!r} cannot be a name", "use letters, digits, - and _, beginning with a letter or digit")


def weights(table: object, where: str) -> dict[QueryType, float]:
    """A table of weights by query type, checked; empty for ``None``."""
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} must be a table of weights", "for example { library_docs = 0.4 }")
    found = {}
    for key, weight in table.items():
        if key not in list(QueryType):
            raise ConfigurationError(f"unknown query type {key!r} in {where}", nearest(str(key), QueryType))
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            raise ConfigurationError(f"{where}.{key} cannot be {weight!r}", "a weight is a number from 0 to 1")
        found[QueryType(key)] = float(weight)
    return found
