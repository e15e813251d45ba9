"""A program that prints JSON, as a source described in the settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia.ports import Card, Cli, Key, Package
from encyclopedia_adapters.generic.command_table import OPTIONS, CommandTable, read_table
from encyclopedia_adapters.generic.template import fill, placeholders, values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.generic.program import Finished

_KINDS = {"unavailable": Unavailable, "auth": AuthRefused, "quota": QuotaSpent, "error": Refused}
TIMEOUT = 10.0
"""Seconds where the table sets none."""
_WAIT = 60.0
_SHORTEST = 6
_SHOWN = 200


def card(name: str, options: Mapping[str, object]) -> Card:
    """The card of the source that the table ``options`` describes.

    Beside the options named there it takes ``commands`` (another list of arguments for a type of question), ``first`` and
    ``pick`` (a program that is run before, and the path in its answer that becomes ``{picked}``), ``env`` (a table, or a list
    of names to pass on), ``exit_codes`` (exit code to outcome), ``limited``, ``form``, ``html`` and ``description``.
    """
    table = read_table(name, options)
    return Card(
        name,
        serves=table.serves,
        make=lambda context: CommandSource(table, context),
        description=table.description or "a program of your own",
        timeout=table.timeout or TIMEOUT,
        requires=(Cli(table.command[0]), Package("jmespath"), *(Key(key) for key in table.keys)),
        accepts=tuple(Key(key) for key in table.passed.names),
        form=table.form,
        options=OPTIONS,
    )


class CommandSource:
    """Asks one described program."""

    def __init__(self, table: CommandTable, context: Context) -> None:
        from encyclopedia_adapters.generic.answer import Answers

        self._table, self._secret = table, context.secret
        self._answers = Answers(table.answers)
        templates = {name: fill(value, {}, context.secret) for name, value in table.passed.values.items()}
        named = {name: context.secret(name) for name in table.passed.names}
        self._environment = templates | {name: value for name, value in named.items() if value}

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` clean hits.

        The trouble of an exit code is that of the table; of others ``Unavailable``. ``Refused`` with ``cli_not_found`` if the
        program is not there.
        """
        import asyncio

        from encyclopedia.model.outcome import Reply

        clock = asyncio.get_running_loop().time
        known, end = {**values(request), "subject": request.library or request.text}, clock() + request.timeout
        if self._table.first:
            told = await self._run(self._table.first, known, request.timeout)
            picked = self._picked(told) if told is not None else ""
            if not picked:
                return Reply(note=f"{self._table.name} knows nothing of that name")
            known["picked"] = picked
        line = self._table.commands.get(request.type, self._table.command)
        output = await self._run(line, known, max(end - clock(), 0.0))
        reply = Reply() if output is None else self._answers.reply(output, request.limit)
        return reply._replace(note="; ".join(filter(None, (self._unasked(line, request), reply.note))))

    def _unasked(self, line: tuple[str, ...], request: Request) -> str:
        told = any("version" in placeholders(part) for part in line)
        return "" if told or not request.version else f"asked without the version {request.version}"

    async def _run(self, line: tuple[str, ...], known: Mapping[str, str], limit: float) -> str | None:
        """What the program prints, ``None`` if its exit code says that there is nothing."""
        from encyclopedia_adapters.generic.program import run

        arguments = [line[0], *(_argument(line, at, known, self._secret) for at in range(1, len(line)))]
        done = await run(arguments, self._environment, limit)
        if done.code == 0:
            return done.output
        self._failed(done)
        return None

    def _failed(self, done: Finished) -> None:
        outcome = self._table.exits.get(done.code, "unavailable")
        if outcome == "empty":
            return
        self._answers.check_limit(self._said(done.messages))
        reason = f"{os.path.basename(self._table.command[0])} ended with {done.code}: {self._said(done.messages)}".rstrip(": ")
        trouble: SourceTrouble = RateLimited(reason, _WAIT) if outcome == "rate_limited" else _KINDS[outcome](reason)
        raise trouble

    def _said(self, messages: str) -> str:
        """The last line of its messages, without what we gave it to prove who asks."""
        from encyclopedia_adapters.shared.sanitize import clean_line

        for value in self._environment.values():
            if len(value) >= _SHORTEST:
                messages = messages.replace(value, "***")
        lines = [line for line in messages.splitlines() if line.strip()]
        return clean_line(lines[-1], _SHOWN) if lines else ""

    def _picked(self, output: str) -> str:
        from jmespath import search
        from jmespath.exceptions import JMESPathError

        from encyclopedia_adapters.generic.guess import parsed
        from encyclopedia_adapters.shared.hits import as_text

        try:
            return as_text(search(self._table.pick, parsed(output)))
        except (JMESPathError, RecursionError):
            raise Garbled(f"{self._table.name}: the answer does not fit pick = {self._table.pick}") from None


def _argument(line: tuple[str, ...], at: int, known: Mapping[str, str], secret: Callable[[str], str]) -> str:
    """One argument, filled. A question that begins like an option gets a blank before it, which no search minds."""
    template = line[at]
    value = fill(template, known, secret).replace("\0", " ").encode("utf-8", "replace").decode()
    open_to_options = value.startswith("-") and not template.startswith("-") and "--" not in line[:at]
    return f" {value}" if open_to_options else value
