"""The way of one search through the command line: stored answer or asynchronous work, then what is shown and the exit code."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import first_run
from encyclopedia.faces.cli.app import STARTED
from encyclopedia.faces.cli.decisions import print_explanation, print_verbose
from encyclopedia.faces.library import Encyclopedia
from encyclopedia.model.errors import NoSourceAnswered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.trace import Trace

STRICT = NoSourceAnswered.code


class Search:
    """One search: what was asked of it, and how its report is shown."""

    def __init__(self, output: Output, options: Mapping[str, Any], encyclopedia: Encyclopedia, *, strict: bool) -> None:
        self.output, self.encyclopedia, self.strict = output, encyclopedia, strict
        self.wanted = tuple(name for name in ("verbose", "explain") if options[name])
        readable = not output.json
        self.shown = ("verbose", *self.wanted) if readable else self.wanted
        self.body: Mapping[str, Any] = {"outcomes": []}

    def recall(self, trace: Trace[Plan]) -> int | None:
        """Show the stored answer; the exit code, ``None`` if there is none."""
        report = self.encyclopedia.recall(trace, self.shown)
        return None if report is None else self.show(report.body, report.code)

    def show(self, body: Mapping[str, Any], code: int, *, interrupted: int = 0) -> int:
        """Print a report; the exit code, which ``--strict`` and an interruption change."""
        told = dict(body)
        self.body = body
        if interrupted:
            told |= _said("interrupted: this is what had arrived", "run it again for the whole answer", interrupted)
            told["interrupted"] = True
        elif self.strict and told["degraded"]:
            told |= _said("the answer is degraded, which --strict does not allow", "leave --strict out to accept it", STRICT)
        elif not code:
            told |= {"status": "success"}
        code = told.get("code", code)
        if self.output.stream:
            self.output.event("done", _ordered(told))
        else:
            self.output.show(_ordered(told), lambda console: self._print(console, told))
        if not self.output.json and code:
            self.output.told(told)
        return code

    def _print(self, console: Console, body: Mapping[str, Any]) -> None:
        from encyclopedia.faces.cli.remarks import print_remarks
        from encyclopedia.faces.cli.results import print_results

        print_results(console, body, self._roots(), explain="explain" in self.wanted)
        print_remarks(console, body)
        verbose = body.get("verbose", {})
        if self.wanted and verbose:
            print_verbose(console, verbose)
            print_explanation(console, verbose.get("explain", ()))

    def _roots(self) -> dict[str, str]:
        from encyclopedia.wiring.corpora import registered

        return {corpus.name: corpus.path for corpus in registered(self.encyclopedia.engine.loaded)}


def since_start(trace: Trace[Plan], now: Callable[[], float] = perf_counter) -> Trace[Plan]:
    """The same with a deadline that counts from the start of the command; half of it is left at least."""
    plan = trace.value
    left = max(plan.deadline - (now() - STARTED), plan.deadline / 2)
    return trace._replace(value=plan._replace(deadline=left))


def search(output: Output, text: str, options: dict[str, Any], *, strict: bool) -> int:
    """Search and print; the exit code."""
    fresh = first_run.fresh()
    encyclopedia = Encyclopedia()
    query, _ = encyclopedia.query(text, options)
    trace = encyclopedia.prepare(query)
    one = Search(output, options, encyclopedia, strict=strict)
    if output.stream:
        from encyclopedia.faces.diagnostics import dry_run

        output.event("plan", dry_run(trace, encyclopedia.engine.stores.answers.peek(trace.value)) | {"status": "plan"})
    code = one.recall(trace)
    if code is not None:
        encyclopedia.engine.stores.close()  # what was used is written down after it was shown
    else:
        from encyclopedia.faces.cli.asking import ask

        code = ask(one, since_start(trace))
    if output.interactive:
        if fresh:
            first_run.tell(output, encyclopedia.engine)
        first_run.complete(output, encyclopedia.engine, one.body)
    return code


def _said(message: str, hint: str, code: int) -> dict[str, Any]:
    return {"status": "error", "code": code, "message": message, "hint": hint}


def _ordered(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same with version, status and what they say first."""
    first = [name for name in ("schema_version", "status", "code", "message", "hint") if name in body]
    return {name: body[name] for name in (*first, *(name for name in body if name not in first))}
