"""Where results and remarks go, and in which form: JSON for programs, readable text for people."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Self, TextIO

from encyclopedia.faces.cli.visible import escaped, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console

    from encyclopedia.model.errors import EncyclopediaError


class Output:
    """The form of one run: ``json`` for programs, else readable; ``stream`` for one JSON object a line as things happen."""

    def __init__(
        self,
        *,
        json: bool = False,
        text: bool = False,
        stream: bool = False,
        color: str = "auto",
        streams: tuple[TextIO, TextIO] | None = None,
    ) -> None:
        self.stdout, self.stderr = streams or (sys.stdout, sys.stderr)
        self.stream = stream
        self.json = stream or json or not (text or self.stdout.isatty())
        self._color = color
        self.progress = self.stderr.isatty() and os.environ.get("TERM") != "dumb"

    @classmethod
    def of(cls, arguments: Any) -> Self:
        """The form that the arguments ask for."""
        made = cls(json=arguments.json, text=arguments.text, stream=getattr(arguments, "stream", False), color=arguments.color)
        made.progress = made.progress and not getattr(arguments, "no_progress", False)
        return made

    @classmethod
    def guessed(cls, argv: Sequence[str]) -> Self:
        """The form that a command line asks for which may not parse."""
        return cls(json="--json" in argv, text="--text" in argv, stream="--stream" in argv)

    @property
    def interactive(self) -> bool:
        """Whether a person is looking: results are readable on a terminal, remarks go to one."""
        return not self.json and self.stdout.isatty() and self.progress

    def show(self, body: object, readable: Callable[[Console], None]) -> None:
        """Print a result: ``body`` as JSON, or what ``readable`` prints on the console that it is given."""
        if self.json:
            self._dump(body, None if self.stream or not self.stdout.isatty() else 2)
        else:
            self.render(readable)

    def render(self, readable: Callable[[Console], None]) -> None:
        """Print the readable form.

        It is made whole before it is written: rich would end the process by itself when nobody reads any more.
        """
        from io import StringIO

        from rich.console import Console

        styled = self._styled()
        buffer = StringIO()
        console = Console(
            file=buffer,
            force_terminal=styled,
            color_system="standard" if styled else None,
            no_color=not styled,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        readable(console)
        self.stdout.write(buffer.getvalue())

    def event(self, name: str, body: dict[str, object]) -> None:
        """Print one line of a stream and let the reader have it now."""
        self._dump({"event": name} | body, None)
        self.stdout.flush()

    def remark(self, sentence: str) -> None:
        """Say something on stderr that is no result."""
        self.stdout.flush()
        self.stderr.write(visible(sentence) + "\n")
        self.stderr.flush()

    def error(self, error: EncyclopediaError) -> None:
        """Say what went wrong: as JSON on stdout for programs, as a sentence with its remedy on stderr for people."""
        if self.stream:
            self.event("error", error.to_dict())
        elif self.json:
            self._dump(error.to_dict(), None)
        if not self.json or (self.stderr.isatty() and not self.stdout.isatty()):
            self._sentence(error.message, error.hint)

    def answer(self, body: Mapping[str, Any], readable: Callable[[Console], None]) -> int:
        """Show the body of a command that found something or nothing, and say the latter; the exit code."""
        self.show(body, readable)
        code = int(body.get("code", 0))
        if code and not self.json:
            self.told(body)
        return code

    def told(self, body: Mapping[str, Any]) -> None:
        """Say to a person what a body that is shown already has as its message."""
        self._sentence(str(body["message"]), str(body.get("hint") or ""))

    def _sentence(self, message: str, hint: str) -> None:
        remedy = f"\n  {hint}" if hint else ""
        self.remark(f"encyclopedia: {message}{remedy}")

    def _styled(self) -> bool:
        if self._color != "auto":
            return self._color == "always"
        return self.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def _dump(self, body: object, indent: int | None) -> None:
        import json

        self.stdout.write(escaped(json.dumps(body, ensure_ascii=False, indent=indent)) + "\n")
