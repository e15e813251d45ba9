"""Built-in sources that are asked through a command: the variables ``CONTEXT7_CLI``, ``EXA_CLI`` and their like."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.ports import Card, Cli, Key
from encyclopedia.wiring import places
from encyclopedia.wiring.requirements import Absent, on_path, plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.wiring.environment import Environment

SUFFIX = "_CLI"
LISTERS = (b"list files on the command line", b"the.exa.website", b"replacement for ls", b"replacement for 'ls'")
"""What stands in the programs that list files and are called like the search service."""
_READ = 16 * 1024 * 1024


def by_cli(cards: Mapping[str, Card], environment: Environment, kinds: Mapping[str, str]) -> dict[str, Card]:
    """The cards of the sources whose variable is set, made of the command that it names.

    Name, types, weights and wording stay; a key is passed on and no longer needed. Raises ``ConfigurationError`` for a
    variable that names no command.
    """
    if not any(name.endswith(SUFFIX) and value.strip() for name, value in environment.values.items()):
        return {}
    found = {}
    for name, table in clis().items():
        variable = str(table["variable"])
        if name in cards and environment.secret(variable):
            found[name] = _asked_by(cards[name], table, variable, environment.secret(variable), kinds)
    return found


def clis() -> dict[str, dict[str, Any]]:
    """The tables of ``config/clis.toml`` by source."""
    import tomllib

    with open(f"{places.data()}/clis.toml", "rb") as file:
        return tomllib.load(file)


def words_of(value: str, variable: str) -> list[str]:
    """The program of a variable and the arguments that it may carry."""
    import shlex

    if os.path.isfile(os.path.expanduser(value)):
        return [value]
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    program = os.path.expanduser(words[0]) if words else ""
    if not program or (os.sep in program and not os.path.isabs(program)):
        raise ConfigurationError(f"{variable} cannot be {value!r}", "it takes the name or the absolute path of a program")
    return words


def _asked_by(card: Card, table: Mapping[str, Any], variable: str, value: str, kinds: Mapping[str, str]) -> Card:
    program = words_of(value, variable)
    kind = str(table["kind"])
    make = plugin(kinds.get(kind, ""))
    if isinstance(make, Absent):
        return card._replace(requires=(Cli(program[0], variable),), make=None)
    options = {name: member for name, member in table.items() if name not in ("variable", "kind")}
    for line in ("command", "first"):
        if line in table or line == "command":
            options[line] = [*program, *table.get(line, [])]
    if "commands" in table:
        options["commands"] = {type: [*program, *line] for type, line in table["commands"].items()}
    keys = tuple(dict.fromkeys(need for need in (*card.requires, *card.accepts) if isinstance(need, Key)))
    options |= {"serves": {type.value: weight for type, weight in card.serves.items()}, "env": [key.name for key in keys]}
    made: Card = make(card.name, options)
    needs = tuple(Cli(need.name, variable) if isinstance(need, Cli) else need for need in made.requires)
    return card._replace(
        make=made.make, requires=needs, accepts=keys, timeout=made.timeout, daily_calls=None, alternatives=False
    )


def lists_files(program: str) -> bool:
    """Whether a program is the one that lists files and has the name of the search service; it is read, not run."""
    if os.path.basename(program) != "exa" or not on_path(program):
        return False
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    path = next(path for folder in folders if folder and os.access(path := os.path.join(folder, program), os.X_OK))
    try:
        with open(path, "rb") as file:
            content = file.read(_READ)
    except OSError:
        return False
    return any(mark in content for mark in LISTERS)
