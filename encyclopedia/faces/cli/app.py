"""One run of the command line: arguments in, exit code out, never a traceback."""

from __future__ import annotations

import gc
import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import streams
from encyclopedia.faces.cli.commands import COMMANDS, command, parse, parser
from encyclopedia.model.errors import EncyclopediaError, InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence

STARTED = perf_counter()
"""When the command began, as near as can be told."""
INTERRUPTED = 130
OBJECTS = 100_000
"""Allocations between two looks for garbage: a command that starts makes many objects, and none that could be thrown away."""


class Interrupted(EncyclopediaError):
    """The user pressed Ctrl-C."""

    code = INTERRUPTED


def run(argv: Sequence[str]) -> int:
    """Run the command that ``argv`` names; the exit code."""
    gc.set_threshold(OBJECTS)
    streams.prepare()
    try:
        code = _guarded(argv)
        streams.flush()
        gc.freeze()
    except BrokenPipeError:
        streams.abandon()
        return 0
    except OSError as error:
        streams.abandon()
        return _unwritable(error)
    return code


def _unwritable(error: OSError) -> int:
    """Say that the results cannot be written: on stderr whatever the form, since stdout is lost."""
    told = InternalError(f"the results cannot be written: {error.strerror}", "write them elsewhere")
    try:
        return _told(("--text",), told)
    except OSError:  # nobody is left to be told
        streams.abandon(2)
        return told.code


def _guarded(argv: Sequence[str]) -> int:
    try:
        return _command(argv)
    except EncyclopediaError as error:
        return _told(argv, error)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _told(argv, Interrupted("interrupted"))
    except OSError as error:
        from encyclopedia.faces.cli.remedies import unusable

        return _told(argv, unusable(error))
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, whatever it was
        return _told(argv, _defect(error))


def _command(argv: Sequence[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        from encyclopedia.faces.cli import completers

        nothing: Any = completers.nothing  # any function will do, and not the names of files
        argcomplete.autocomplete(parser(COMMANDS), always_complete_options=False, default_completer=nothing)
    arguments = parse(argv)
    code: int = command(arguments.command).run(arguments)
    return code


def _told(argv: Sequence[str], error: EncyclopediaError) -> int:
    from encyclopedia.faces.cli.output import Output

    Output.guessed(argv).error(error)
    if isinstance(error, InternalError) and _debugging():
        import traceback

        traceback.print_exception(error.__cause__ or error)
    return error.code


def _defect(error: Exception) -> InternalError:
    made = InternalError(
        f"something broke in encyclopedia itself ({type(error).__name__})",
        "ENCYCLOPEDIA_LOG_LEVEL=debug shows where",
    )
    made.__cause__ = error
    return made


def _debugging() -> bool:
    from encyclopedia.faces.cli.workplace import loaded

    try:
        return loaded().settings.log_level == "debug"
    except EncyclopediaError:
        return False
