"""Which values of a configuration prove who asks: from the environment, or written into the table of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.ports import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from encyclopedia.ports import Card

SHORTEST = 8
"""A shorter value could be a word of any text, and no service gives out such a key."""
TELLING = ("key", "token", "secret", "password", "passwd", "authorization", "cookie", "credential")
_OPEN_HEADERS = ("accept", "accept-language", "content-type", "referer", "user-agent")
_RANDOM = 16


def secrets_of(card: Card, options: Mapping[str, object], secret: Callable[[str], str]) -> tuple[str, ...]:
    """The credentials of a source. A name that stands for the host of its address is none."""
    host = str(options.get("url", "")).partition("//")[2].partition("/")[0]
    names = [need.name for need in (*card.requires, *card.accepts) if isinstance(need, Key)]
    values = [secret(name) for name in names if f"${{{name}}}" not in host]
    return tuple(dict.fromkeys(value for value in (*values, *written("", options)) if len(value) >= SHORTEST))


def telling(name: str) -> bool:
    """Whether a setting, header, parameter or option of that name holds a credential."""
    return any(word in name.lower() for word in TELLING)


def written(name: str, value: object) -> Iterator[str]:
    """The credentials that somebody wrote into a value of the settings instead of naming a variable of the environment."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _member(name, str(key), item)
    elif isinstance(value, list | tuple):
        yield from _listed(name, [str(item) for item in value])
    elif isinstance(value, str):
        yield from _parts(value) if telling(name) else _in_address(value)


def _member(table: str, key: str, item: object) -> Iterator[str]:
    """One entry of a table: of ``env`` and of ``headers`` anything may be a credential, whatever it is called."""
    private = table == "env" or (table == "headers" and key.lower() not in _OPEN_HEADERS)
    if private and isinstance(item, str):
        yield from _parts(item)
    else:
        yield from written(key, item)


def _listed(name: str, words: list[str]) -> Iterator[str]:
    """The arguments of a program: ``--token VALUE`` and ``--token=VALUE``."""
    for before, word in zip(["", *words], words, strict=False):
        option, equals, value = word.partition("=")
        if word.startswith("-") and equals and telling(option):
            yield from _parts(value)
        elif telling(name) or (before.startswith("-") and "=" not in before and telling(before)):
            yield from _parts(word)
        else:
            yield from _in_address(word)


def _parts(value: str) -> Iterator[str]:
    """The words of a value but for references, placeholders and the name of a scheme."""
    for part in value.split():
        if "{" not in part and part.lower() not in ("bearer", "basic", "token", "apikey"):
            yield part


def _in_address(value: str) -> Iterator[str]:
    """What an address holds of credentials: before its host, in its parameters, or as a part of its path that nobody reads."""
    scheme, found, rest = value.partition("://")
    if not found or not scheme.isalnum():
        return
    from urllib.parse import parse_qsl, unquote

    place, _, query = rest.partition("#")[0].partition("?")
    host, *path = place.split("/")
    if "@" in host:
        yield unquote(host.rpartition("@")[0].rpartition(":")[2])
    yield from (unquote(part) for part in path if _random(part))
    yield from (item for key, item in parse_qsl(query) if "{" not in item and (telling(key) or _random(item)))


def _random(text: str) -> bool:
    """Whether it looks dealt out and not chosen: long, of letters and digits, and no word of a path."""
    plain = text.replace("-", "").replace("_", "")
    kinds: Iterable[bool] = (any(map(str.isdigit, text)), any(map(str.isalpha, text)))
    return len(plain) >= _RANDOM and all(kinds) and "{" not in text and "." not in text
