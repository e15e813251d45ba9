"""The table that describes a program, read into a checked value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from encyclopedia.model.query import QueryType
from encyclopedia_adapters.generic.answer import Described, described
from encyclopedia_adapters.generic.table import COMMON, Passed, TableReader
from encyclopedia_adapters.generic.template import PLACEHOLDERS, placeholders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.query import Form

OPTIONS = (*COMMON, "command", "commands", "first", "pick", "env", "exit_codes")
TERMS = (*PLACEHOLDERS, "subject", "picked")
OUTCOMES = ("empty", "unavailable", "rate_limited", "auth", "quota", "error")
_EXITS = {64: "error", 69: "unavailable", 75: "unavailable", 77: "auth"}  # sysexits.h
_LAST_CODE = 255


@dataclass(frozen=True, slots=True, repr=False)  # there may be keys in it
class CommandTable:
    """One ``[sources.NAME]`` table of kind command.

    ``commands`` holds the arguments for types of question that are not asked by ``command``. ``first`` is run before, and what
    stands at the path ``pick`` of its answer becomes ``{picked}``. ``exits`` says what an exit code means.
    """

    name: str
    serves: Mapping[QueryType, float]
    command: tuple[str, ...]
    commands: Mapping[QueryType, tuple[str, ...]]
    first: tuple[str, ...]
    pick: str
    passed: Passed
    exits: Mapping[int, str]
    timeout: float | None
    form: Form
    description: str
    answers: Described
    keys: tuple[str, ...]


def read_table(name: str, options: Mapping[str, object]) -> CommandTable:
    """The checked table; ``ConfigurationError`` names the field at fault and the nearest that there is."""
    reader = TableReader(name, options)
    reader.known(options, OPTIONS, "")
    command, commands = reader.command(), _commands(reader)
    first = reader.command("first") if "first" in options else ()
    if bool(first) != ("pick" in options):
        reader.fail("first", "and pick belong together")
    for line in (command, *commands.values()):
        asked = [word for part in line for word in placeholders(part)]
        reader.known(asked, TERMS if first else TERMS[:-1], "command: {")
        if not set(asked) - {"limit"}:
            reader.fail("command", "holds none of {query}, {library}, {version} and {repository}, so that it would ask nothing")
    reader.known([word for part in first for word in placeholders(part)], TERMS[:-1], "first: {")
    passed = reader.passed()
    return CommandTable(
        name=name,
        serves=reader.serves(),
        command=command,
        commands=commands,
        first=first,
        pick=reader.path("pick", reader.text("pick", "@")),
        passed=passed,
        exits=_EXITS | _exits(reader),
        timeout=reader.timeout(),
        form=reader.form(),
        description=reader.text("description", ""),
        answers=described(name, reader),
        keys=reader.environment(
            (*passed.values.values(), *command, *first, *(part for line in commands.values() for part in line))
        ),
    )


def _commands(reader: TableReader) -> dict[QueryType, tuple[str, ...]]:
    table = reader.table("commands")
    reader.known(table, [type.value for type in QueryType], "commands.")
    return {QueryType(type): TableReader(reader.name, table).command(type) for type in table}


def _exits(reader: TableReader) -> dict[int, str]:
    found = {}
    for code, outcome in reader.strings("exit_codes").items():
        if not code.isdecimal() or not 0 < int(code) <= _LAST_CODE:
            reader.fail(f"exit_codes.{code}", "is no exit code from 1 to 255")
        reader.known([outcome], OUTCOMES, f"exit_codes.{code} = ")
        found[int(code)] = outcome
    return found
