"""What a person should know besides the results: what is missing, what was changed, who answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.tables import flow
from encyclopedia.faces.cli.visible import one_line
from encyclopedia.faces.standing import age

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

_ENDINGS = ("is not a name that can be resolved", "could not be reached or broke off")
_UNREACHED = {
    "missing": "could not be reached and are left alone for now (no network?)",
    "errors": "cannot be reached (no network?)",
}
_SEVERAL = 2


def print_remarks(console: Console, body: Mapping[str, Any]) -> None:
    """Print the remarks on a report that has its ``verbose`` part."""
    from rich.text import Text

    for sentence, style in remarks(body):
        console.print(Text(one_line(sentence), style), soft_wrap=True)
    for line in flow(who_answered(body), console.width):
        console.print(Text(line, "dim"), soft_wrap=True)


def remarks(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Sentences with their style, most urgent first."""
    yield from ((sentence, "yellow") for sentence in losses(body))
    verbose = body["verbose"]
    for correction in verbose["query_analysis"]["corrections"]:
        original, _, replacement = correction.partition(" → ")
        yield f"searched also for: {replacement} (for {original}; --no-correct turns this off)", "cyan"
    if verbose["source_routing"]["widened"]:
        surely = "surely a library" if verbose["query_analysis"]["library"] else "a known library"
        yield f"widened to the general sources: no word of the query is {surely}", "cyan"
    yield from ((str(note), "cyan") for note in body.get("notes", ()))
    if body["cached"]:
        yield _cached(body["query"], verbose["cache"]), "cyan"
    if body["evidence_gap"] and body["results"]:
        yield f"no result mentions: {', '.join(body['evidence_gap'])}", "yellow"


def losses(body: Mapping[str, Any]) -> Iterator[str]:
    """What the answer lacks and why; several sources that cannot be reached, as without a network, stand in one sentence."""
    for part, told in _UNREACHED.items():
        rows = [row for row in body["degradation"][part] if not row["optional"]]
        far = [row for row in rows if _reason(row).endswith(_ENDINGS)]
        if len(far) >= _SEVERAL:
            yield f"! {', '.join(row['source'] for row in far)}: {told}"
            rows = [row for row in rows if row not in far]
        for row in rows:
            reason, hint = _reason(row), str(row.get("hint") or "")
            more = "" if not hint or hint.removeprefix("last error: ") in reason else f" ({hint})"
            yield f"! {row['source']}: {reason}{more}"


def _reason(row: Mapping[str, Any]) -> str:
    return str(row.get("reason") or row.get("message"))


def who_answered(body: Mapping[str, Any]) -> list[str]:
    """All outcomes, ``packages 5 in 12 ms`` or ``wikipedia unavailable``; with the reason where no remark has told it."""
    lost = body["degradation"]
    told = {row["source"] for row in (*lost["missing"], *lost["errors"]) if not row["optional"]}
    return [_outcome(row, with_reason=row["source"] not in told) for row in body["outcomes"]]


def _outcome(row: Mapping[str, Any], *, with_reason: bool) -> str:
    if row["status"] == "ok":
        return f"{row['source']} {row['results']} in {row['ms']} ms"
    reason = f" ({row['reason']})" if row["reason"] and with_reason else ""
    return f"{row['source']} {row['status'].replace('_', ' ')}{reason}"


def _cached(query: str, cache: Mapping[str, Any]) -> str:
    old = f", {age(cache['age'])} old" if cache["age"] is not None else ""
    other = cache["matched_query"] if cache["matched_query"] not in (None, query) else ""
    near = f" to {other!r} (similarity {cache['similarity']:.2f})" if other and cache["similarity"] is not None else ""
    return f"stored answer{near}{old}; --no-cache asks again"
