"""What an answer outside 2xx amounts to: nothing found, or the trouble that its code or its status means with the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, Refused, Unavailable
from encyclopedia_adapters.shared.body import parse_json
from encyclopedia_adapters.shared.guard import origin
from encyclopedia_adapters.shared.status import error_codes, nothing_found, trouble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.errors import SourceTrouble
    from encyclopedia_adapters.shared.http import Call

Meaning = tuple[type[AuthRefused | Garbled | QuotaSpent | Refused | Unavailable], str]


def refusal(call: Call, said: tuple[str, int], headers: Mapping[str, str], text: str) -> SourceTrouble | None:
    """The trouble that ``said``, a host and its status, tells with the body ``text``; ``None`` where it says: nothing found.

    A code in the body goes before that, since "no subscription found" is something else, and both before the status.
    """
    host, status = said
    try:
        data = parse_json(host, text)
    except Garbled:
        data = None
    meaning = next((call.codes[code] for code in error_codes(data) if code in call.codes), None)
    if meaning is None and nothing_found(status, text, call.nothing):
        return None
    if meaning is not None or status in call.meanings:
        kind, sentence = meaning or call.meanings[status]
        return kind(f"{host} answered HTTP {status}: {sentence}")
    if 300 <= status < 400:  # noqa: PLR2004 - the class of statuses
        return Refused(f"{host} answered HTTP {status}, a redirect to {_redirected(host, headers)}, which is not followed")
    return trouble(host, status, headers, (text, data))


def telling(call: Call, text: str) -> dict[str, object] | None:
    """The JSON body of an error that ``call`` wants to read, known by its ``error`` or its fields, else ``None``."""
    if not call.told:
        return None
    try:
        data = parse_json(call.source, text)
    except Garbled:
        return None
    told = isinstance(data, dict) and (data.get("error") in call.told or any(name in data for name in call.told))
    return data if told and isinstance(data, dict) else None


def _redirected(host: str, headers: Mapping[str, str]) -> str:
    try:
        return origin(headers.get("location", ""))[0][:100]
    except ValueError:
        return f"another page of {host}"
