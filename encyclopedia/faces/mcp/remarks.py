"""What is said before an answer: nothing found, what is missing, what was withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.faces.mcp.session import Session


def picked(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Some fields of a body, those that are empty left out."""
    return {name: body[name] for name in names if body.get(name) not in (None, "", [], {})}


def remarks(body: Mapping[str, Any], session: Session) -> tuple[str, ...]:
    """Sentences about an answer in its JSON form, the weightiest first."""
    return tuple(_sentences(body, session))


def hidden_corpora(session: Session) -> str:
    """That whole corpora are withheld, and how many; empty if none is."""
    number = session.hidden
    told = f"{number} {'corpus is' if number == 1 else 'corpora are'} above what this client may see."
    return f"Withheld: {told}" if number else ""


def _sentences(body: Mapping[str, Any], session: Session) -> Iterator[str]:
    if body.get("code"):
        yield f"{body['message']}: {body.get('hint') or 'ask in other words'}"
    if withheld := body.get("withheld"):
        yield f"Withheld: {withheld} result{'' if withheld == 1 else 's'} above what this client may see."
    lost = body.get("degradation", {})
    failed = [f"{row['source']} ({row.get('message')})" for row in lost.get("errors", ()) if not row.get("optional")]
    failed += [f"{row['source']} ({row['reason']})" for row in lost.get("missing", ()) if not row.get("optional")]
    if failed:
        yield f"Not everything could be asked: {'; '.join(failed)}"
    if body.get("corrections"):
        yield f"Searched also for: {', '.join(body['corrections'])}"
    if body.get("evidence_gap"):
        yield f"No result mentions: {', '.join(body['evidence_gap'])}"
    if session.confined:
        yield f"This connection has seen what is {session.label}: no source on the network is asked."
    yield from map(str, body.get("notes", ()))
