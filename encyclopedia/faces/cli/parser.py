"""The parser of the command line: wrong usage raises, and the options of all commands look alike."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, NoReturn

from encyclopedia.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    N = TypeVar("N", int, float)
    Commands = argparse._SubParsersAction["Parser"]  # noqa: SLF001 - argparse has no public name for it

MOST_WIDTH = 100
HOUR = 3600
TAKES = "takes"
"""How the complaint about a value begins, which is then said of the option itself."""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal; finding its width through ``shutil`` would cost more than the rest of the help."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=min(width(), MOST_WIDTH))


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that raises ``UsageError`` and takes no abbreviated options, so that new ones break nobody."""

    def __init__(self, **options: Any) -> None:
        settled: dict[str, Any] = {"allow_abbrev": False, "formatter_class": Formatter} | options
        super().__init__(**settled)

    def error(self, message: str) -> NoReturn:
        """Wrong usage as our own error."""
        told = message.removeprefix("argument ").replace(f": {TAKES}", f" {TAKES}", 1) if f": {TAKES}" in message else message
        raise UsageError(told, f"`{self.prog} --help` shows how")

    def unknown(self, rest: list[str], name: str) -> UsageError:
        """The error for arguments that belong to no option."""
        option = next((word.partition("=")[0] for word in rest if word.startswith("-")), "")
        if not option:
            return UsageError(f"unexpected argument {rest[0]!r}", "put words that belong together in quotes")
        from encyclopedia.model.nearest import nearest

        return UsageError(f"unknown option {option!r}", nearest(option, self._options_below(name)))

    def _options_below(self, name: str) -> set[str]:
        found: set[str] = set()
        for action in self._actions:
            found |= set(action.option_strings)
            choices = action.choices if isinstance(action.choices, dict) else {}
            for key, below in choices.items():
                if isinstance(below, Parser) and name in (key, ""):
                    found |= below._options_below("")  # noqa: SLF001 - one of our own class
        return found


def width() -> int:
    """Columns of the terminal, 80 where there is none."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    for number in (1, 2, 0):
        try:
            return os.get_terminal_size(number).columns or 80
        except OSError:
            continue
    return 80


def output_options(parser: Parser, *, progress: bool = False) -> None:
    """Add the options that say in which form a command prints."""
    group = parser.add_argument_group("output")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object (what a pipe gets anyway)")
    form.add_argument("--text", action="store_true", help="the readable form, in a pipe too")
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours: auto (default), always, never"
    )
    if progress:
        group.add_argument("--no-progress", action="store_true", help="no progress bar on stderr")


def completed(action: argparse.Action, completer: Callable[..., Iterable[str]]) -> None:
    """Let the shell complete the values of an argument with those of ``completer``."""
    vars(action)["completer"] = completer


def positive(text: str) -> int:
    """A whole number above 0."""
    return _number(text, int, lambda value: value > 0, "a whole number above 0")


def seconds(text: str) -> float:
    """A time in seconds above 0, up to an hour."""
    return _number(text, float, lambda value: 0 < value <= HOUR, f"seconds, above 0 and up to {HOUR}")


def _number(text: str, kind: Callable[[str], N], fits: Callable[[N], bool], wanted: str) -> N:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not fits(value):
        raise argparse.ArgumentTypeError(f"{TAKES} {wanted}, not {text!r}")
    return value
