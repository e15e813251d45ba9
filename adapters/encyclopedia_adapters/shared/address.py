"""The address of a service: the usual one, or the one that the user has configured for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.shared.guard import normal_url
from encyclopedia_adapters.shared.http import shared_http

if TYPE_CHECKING:
    from encyclopedia.ports import Context


def base_address(context: Context, default: str) -> str:
    """``base_url`` of the source's table, whose host is then exempt from the address guard, else ``default``; no final slash.

    Raises ``ConfigurationError`` for a ``base_url`` that is no plain http(s) address.
    """
    base = context.options.get("base_url")
    if not base:
        return default
    try:
        address = normal_url(str(base)).rstrip("/")
        shared_http(context).allow(address)
    except ValueError as fault:
        raise ConfigurationError(f"[sources.{context.name}] base_url: {fault}") from None
    return address
