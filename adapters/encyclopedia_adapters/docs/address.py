"""The base address of a service: its own, or the one of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http


def base_address(context: Context, http: Http, usual: str) -> str:
    """The address without a final slash; one from the settings may be inside the network.

    ``ConfigurationError`` names the setting.
    """
    from encyclopedia_adapters.shared.guard import normal_url

    try:
        address = normal_url(str(context.options.get("base_url") or usual)).rstrip("/")
        if "base_url" in context.options:
            http.allow(address)
    except ValueError as fault:
        raise ConfigurationError(f"[sources.{context.name}] base_url: {fault}") from None
    return address
