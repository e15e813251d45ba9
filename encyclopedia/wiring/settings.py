"""Settings in layers: defaults, file, environment, flags; the last to speak decides, and who spoke is remembered."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import Label
from encyclopedia.model.nearest import closest, nearest
from encyclopedia.model.settings import Settings
from encyclopedia.wiring import places
from encyclopedia.wiring.checks import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.wiring.environment import Environment

PREFIX = "ENCYCLOPEDIA_"
TABLES = ("sources", "corpora")
OTHER_NAMES = ("HOME", "LLM_API_KEY", "TOKEN")
"""Names under our prefix that are no field of ``Settings``: the data folder; those of answers and services."""
FLAGS = {
    "ENCYCLOPEDIA_ADAPTIVE_WEIGHTS": "profile.adaptive",
    "ENCYCLOPEDIA_CACHE_SYNERGY": "synergy.memories",
    "RHETORIC_ENCYCLOPEDIA_SYNERGY": "synergy.context",
}
"""Variables with names of their own, and the settings that they stand for."""


class Loaded(NamedTuple):
    """The settings in force; ``origins`` maps each dotted name to default, file, environment, a file's name or flag.

    ``ceiling`` is the highest label that may be shown.
    """

    settings: Settings
    origins: Mapping[str, str]
    home: str
    environment: Environment
    ceiling: Label = Label.SECRET


def load(home: str, environment: Environment, flags: Mapping[str, object] | None = None) -> Loaded:
    """Read all layers. Raises ``ConfigurationError`` for an unknown name (with the nearest known one) or a wrong value."""
    file = _read_file(places.config_file(home))
    settings, origins = Settings(), dict.fromkeys(names_of(Settings()), "default")
    tables = {name: _tables(name, file.pop(name, {})) for name in TABLES}
    layers = (
        ((name, value, "file") for name, value in _flatten(file)),
        _from_environment(environment),
        ((name, value, "flag") for name, value in (flags or {}).items()),
    )
    for layer in layers:
        for name, value, origin in layer:
            settings = _set(settings, name, value, origin)
            origins[name] = origin
    for kind, named in tables.items():
        origins |= {f"{kind}.{source}.{key}": "file" for source, table in named.items() for key in table}
    return Loaded(_replaced(settings, **tables), origins, home, environment)


def shown(loaded: Loaded) -> dict[str, object]:
    """``{dotted name: value in force}`` of every setting, without secrets."""
    settings = loaded.settings
    values: dict[str, object] = {name: _get(settings, name) for name in names_of(settings)}
    values["fusion.k"] = settings.fusion.constant
    for kind in TABLES:
        for name, table in getattr(settings, kind).items():
            values |= {f"{kind}.{name}.{key}": value for key, value in table.items()}
    return values


def variable(name: str) -> str:
    """The environment variable of a dotted setting name."""
    return PREFIX + name.replace(".", "_").upper()


def names_of(settings: Settings) -> list[str]:
    """The dotted names of all settings but the tables."""
    names = []
    for name, value in settings._asdict().items():
        if hasattr(value, "_fields"):
            names += [f"{name}.{inner}" for inner in value._fields]
        elif name not in TABLES:
            names.append(name)
    return names


def _get(settings: Settings, name: str) -> object:
    head, _, tail = name.partition(".")
    value = getattr(settings, head)
    return getattr(value, tail) if tail else value


def _set(settings: Settings, name: str, value: object, origin: str) -> Settings:
    known = names_of(settings)
    if name not in known:
        raise ConfigurationError(f"unknown setting {name!r} ({origin})", _remedy(name, value, known))
    good = check(name, _get(settings, name), value, origin)
    head, _, tail = name.partition(".")
    if not tail:
        return _replaced(settings, **{head: good})
    section: Any = getattr(settings, head)
    return _replaced(settings, **{head: section._replace(**{tail: good})})


def _remedy(name: str, value: object, known: list[str]) -> str:
    """The nearest setting; where a table was given, the nearest kind of table with the name in it."""
    head, _, tail = name.partition(".")
    if isinstance(value, dict) and (kind := closest(head, TABLES)):
        return f"did you mean {kind}.{tail}?"
    return nearest(name, known)


def _replaced(settings: Settings, **changes: Any) -> Settings:
    return settings._replace(**changes)


def _flatten(file: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in file.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in value.items())
        else:
            yield name, value


def _from_environment(environment: Environment) -> Iterator[tuple[str, object, str]]:
    known = {variable(name): name for name in names_of(Settings())} | FLAGS
    for name, value in environment.values.items():
        ours = name.startswith(PREFIX) or name in FLAGS
        if not ours or name.startswith(f"{PREFIX}ENABLE_") or name[len(PREFIX) :] in OTHER_NAMES:
            continue
        origin = environment.origins[name]
        if name not in known:
            others = [PREFIX + other for other in OTHER_NAMES]
            raise ConfigurationError(f"unknown setting {name} ({origin})", nearest(name, [*known, *others]))
        if value.strip():
            yield known[name], value.strip(), origin


def _tables(kind: str, value: object) -> dict[str, dict[str, object]]:
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise ConfigurationError(f"{kind} must hold one table for each name", f"write [{kind}.NAME] above its settings")
    return value


def _read_file(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {}
    import tomllib

    try:
        with open(path, encoding="utf-8-sig", newline="") as file:  # some editors begin a file with a byte order mark
            return tomllib.loads(file.read().replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}", "mend the line that it names") from None
    except RecursionError:
        raise ConfigurationError(f"{path} is nested too deeply", "no setting needs that: mend the file") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not UTF-8 text", "save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}", "mend its permissions") from None
