"""What the APIs of code forges have in common: their address, the hit of a repository, files that come as base64."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

MAX_FILE = 400_000


def api_of(context: Context, http: Http, default: str) -> str:
    """The address of the API without a final slash; one that the operator configured may lie inside the network."""
    from encyclopedia_adapters.shared.guard import normal_url

    base = context.options.get("base_url")
    try:
        address = normal_url(str(base or default)).rstrip("/")
        if base:
            http.allow(address)
    except ValueError as fault:
        raise ConfigurationError(f"[sources.{context.name}] base_url: {fault}") from None
    return address


def bearer(context: Context, name: str) -> dict[str, str]:
    """The header that carries the token of that environment name; none if it is not set."""
    token = context.secret(name)
    if not token:
        return {}
    if not (token.isascii() and token.isprintable()):
        raise ConfigurationError(f"{name} holds characters that no token has", f"set {name} anew")
    return {"Authorization": f"Bearer {token}"}


def one_repository(name: str) -> str:
    """``owner/name`` as it may stand in an address, percent-encoded but for the slashes; empty if it is none."""
    import re
    from urllib.parse import quote

    from encyclopedia_adapters.code.place import NAME

    return quote(name, safe="/") if name.isascii() and re.fullmatch(NAME, name) else ""


def repository_hit(element: Mapping[str, object], fields: tuple[str, str, str], facts: Mapping[str, object]) -> Hit | None:
    """A repository; ``fields`` name its name, address and time of change, ``facts`` are shown after its description."""
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit

    name, url, changed = fields
    told = [f"{label}: {value}" for label, fact in facts.items() if (value := as_text(fact)) and value != "0"]
    raw = Hit(
        title=as_text(element.get(name)),
        url=as_text(element.get(url)),
        content="\n".join(filter(None, (as_text(element.get("description")), ", ".join(told)))),
        published=clean_date(element.get(changed)),
    )
    return clean_hit(raw) if raw.title else None


def base64_text(data: object) -> str:
    """The text of a file in a forge's answer; empty for what is no text, too large, or not in base64."""
    import binascii

    content = data.get("content") if isinstance(data, dict) and data.get("encoding") == "base64" else None
    if not isinstance(content, str) or len(content) > 2 * MAX_FILE:
        return ""
    try:
        raw = binascii.a2b_base64(content)
    except ValueError:
        return ""
    return "" if b"\0" in raw else raw.decode("utf-8", "replace").replace("\r\n", "\n")
