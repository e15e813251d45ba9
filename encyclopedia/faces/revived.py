"""Reports and their like from their JSON form, as another process gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.code import Code, CodeFile, relations_of
from encyclopedia.faces.lookup import Lookup
from encyclopedia.faces.report import Report, Result
from encyclopedia.model.answer import Answer
from encyclopedia.model.errors import (
    ConfigurationError,
    EncyclopediaError,
    InternalError,
    NoSourceAnswered,
    NothingFound,
    UsageError,
)
from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Locator
from encyclopedia.model.ranking import Share

if TYPE_CHECKING:
    from collections.abc import Mapping

ERRORS = {kind.code: kind for kind in (UsageError, ConfigurationError, NothingFound, NoSourceAnswered, InternalError)}


def error_of(body: Mapping[str, Any]) -> EncyclopediaError:
    """The error that a body tells of."""
    kind = ERRORS.get(body.get("code", 0), InternalError)
    own = ("schema_version", "status", "code", "message", "hint", "http_status")
    told = {name: value for name, value in body.items() if name not in own}
    return kind(str(body.get("message", "an error without a message")), str(body.get("hint") or ""), told)


def report_of(body: dict[str, Any]) -> Report:
    """A report of a search."""
    results = tuple(_result(row) for row in body["results"])
    return Report(int(body.get("code", 0)), body["query"], results, body["degraded"], body["cached"], body)


def lookup_of(body: dict[str, Any]) -> Lookup:
    """What is known of a topic."""
    return Lookup(
        body["topic"],
        body["version"] or "",
        body["content"],
        body["source"] or "",
        tuple(body["versions"]),
        int(body.get("code", 0)),
        body,
    )


def code_of(body: dict[str, Any]) -> Code:
    """What stands in a repository."""
    files = tuple(_file(row) for row in body["files"])
    said = body["repository"], body["question"], body["depth"], body["analysis"]
    return Code(*said, files, body["degraded"], int(body.get("code", 0)), body)


def answer_of(body: dict[str, Any]) -> Answer:
    """A cited answer."""
    return Answer(body["question"], body["answer"], body["grounded"], int(body.get("code", 0)), body)


def _result(row: Mapping[str, Any]) -> Result:
    shares = (
        Share(one["source"], one["rank"], one["weight"], one["score"], one.get("expansion", False), one.get("weak", False))
        for one in row["fused_from"]
    )
    return Result(
        row["rank"],
        row["title"],
        row["url"] or "",
        row["content"],
        row["source"],
        row["score"],
        tuple(shares),
        _locator(row["locator"]),
        row["published"] or "",
        row["version"] or "",
        row.get("label", str(Label.PUBLIC)),
    )


def _locator(row: Mapping[str, Any] | None) -> Locator | None:
    if row is None:
        return None
    return Locator(row["corpus"], row["path"], row["section"] or "", _lines(row["lines"]), row.get("page"))


def _lines(lines: list[int] | None) -> tuple[int, int] | None:
    return (lines[0], lines[1]) if lines else None


def _file(row: Mapping[str, Any]) -> CodeFile:
    return CodeFile(
        row["path"],
        _lines(row["lines"]),
        row["title"],
        row["section"] or "",
        row["content"],
        row["url"] or "",
        row["score"],
        tuple(row["sources"]),
        relations_of(row),
    )
