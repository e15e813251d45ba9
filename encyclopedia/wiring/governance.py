"""Who may see what over MCP: the rules that ship, with those of the data folder laid over them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import NAMES, Label, named
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "governance.toml"
DEFAULT = "default"
KEYS = ("tools", "remote", "public_url", "clients")
CLIENT_KEYS = ("local", "label", "tools")


class Policy(NamedTuple):
    """What holds for one client: the highest label that it sees, and the tools that it is given.

    ``remote`` is the highest label of a connection whose words may still go to sources on the network. ``declared`` tells
    whether the owner has named the client.
    """

    client: str
    declared: bool
    local: bool
    label: Label
    tools: tuple[str, ...]
    remote: Label
    public_url: str = ""


def policy(home: str, client: str = "") -> Policy:
    """The rules for the client that the owner calls so; one that is not declared, or has no name, has those of the default.

    Raises ``ConfigurationError`` for a file that does not say what it should.
    """
    shipped, own = _read(f"{places.data()}/{FILE}"), _read(file(home))
    clients: dict[str, Any] = {**shipped.get("clients", {}), **own.get("clients", {})}
    rules = {**shipped, **own}
    declared = client in clients and client != DEFAULT
    table: dict[str, Any] = clients[client if declared else DEFAULT]
    local = _local(client, table)
    made = Policy(
        client=client or DEFAULT,
        declared=declared,
        local=local,
        label=_label(f"clients.{client}.label", table.get("label", "personal" if local else "internal")),
        tools=(*_names("tools", rules["tools"]), *_names(f"clients.{client}.tools", table.get("tools", []))),
        remote=_label("remote", rules["remote"]),
        public_url=_address(rules.get("public_url", "")),
    )
    return _possible(made)


def file(home: str) -> str:
    """Where the owner's own rules are, if there are any."""
    return f"{home}/{FILE}"


def _possible(made: Policy) -> Policy:
    if made.label is Label.SECRET:
        raise ConfigurationError(f"{FILE}: client {made.client} cannot be shown what is secret", "personal is the most")
    if made.label is Label.PERSONAL and not made.local:
        raise ConfigurationError(
            f"{FILE}: client {made.client} cannot be shown what is personal: it is not declared local", "set local = true"
        )
    return made


def _read(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {}
    import tomllib

    try:
        with open(path, "rb") as opened:
            found = tomllib.load(opened)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}", "mend the line that it names") from None
    _check(found, KEYS, path)
    clients = found.get("clients", {})
    if not isinstance(clients, dict):
        raise ConfigurationError(f"{path}: clients must hold one table for each client", "write [clients.NAME]")
    for name, table in clients.items():
        if not isinstance(table, dict):
            raise ConfigurationError(f"{path}: clients.{name} must be a table", f"write [clients.{name}]")
        _check(table, CLIENT_KEYS, f"{path}: clients.{name}")
    return found


def _check(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigurationError(f"unknown rule {key!r} in {where}", nearest(key, known))


def _local(client: str, table: Mapping[str, Any]) -> bool:
    local = table.get("local", False)
    if not isinstance(local, bool):
        raise ConfigurationError(f"{FILE}: clients.{client}.local cannot be {local!r}", "it takes true or false")
    return local


def _label(where: str, value: object) -> Label:
    found = named(value) if isinstance(value, str) else None
    if found is None:
        raise ConfigurationError(f"{FILE}: {where} cannot be {value!r}", nearest(str(value), NAMES))
    return found


def _names(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ConfigurationError(f"{FILE}: {where} must be a list of names", 'for example ["load", "ground"]')
    return tuple(value)


def _address(value: object) -> str:
    if not isinstance(value, str) or (value and not value.startswith(("https://", "http://"))):
        raise ConfigurationError(f"{FILE}: public_url cannot be {value!r}", "it begins with https:// or http://")
    return value.rstrip("/")
