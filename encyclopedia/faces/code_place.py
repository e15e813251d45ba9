"""Which repository somebody means who names one by hand: a folder of this machine, or one on a forge."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.stages.credentials import without_credentials

HINT = "write owner/name, an https:// address, or the path of a folder"
_OWNER_NAME = r"[A-Za-z0-9_][\w.-]*(?:/[\w.][\w.-]*)+"
_HOST = r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?/[^/\s]+/\S+"
_SSH = r"(?:ssh://)?git@([\w.-]+)[:/](\S+)"


class Place(NamedTuple):
    """A repository: ``name`` for a forge, or the absolute path of a ``folder``; ``note`` says what else could be meant."""

    name: str
    folder: str = ""
    note: str = ""


def repository(argument: str) -> Place:
    """The repository that ``owner/name``, an address, a ``file:`` address or a path stands for.

    A folder that is there goes before a forge's repository of the same name. Raises ``UsageError`` for what
    names none, ``ConfigurationError`` for a path that is no folder.
    """
    if not isinstance(argument, str) or not argument.strip() or not argument.isprintable():
        raise UsageError("the repository is not named", HINT)
    named = argument.strip()
    if named.startswith("file:"):
        return _folder(_path_of(named))
    if named.startswith(("/", "./", "../", "~")) or named in (".", ".."):
        return _folder(named)
    if "://" not in named and os.path.isdir(named):
        other = f"it is read, not {named} on a forge: write https://github.com/{named} for that one"
        return _folder(named)._replace(note=f"there is a folder {named}; {other}" if re.fullmatch(_OWNER_NAME, named) else "")
    return Place(_on_a_forge(named))


def _on_a_forge(named: str) -> str:
    """The address of a repository, or ``owner/name``."""
    if found := re.fullmatch(_SSH, named):
        return f"https://{found[1]}/{found[2]}"
    if "://" in named:
        return without_credentials(named)
    if re.fullmatch(_HOST, named):
        return f"https://{named}"
    if named.isascii() and re.fullmatch(_OWNER_NAME, named) and ".." not in named:
        return named
    raise UsageError(f"{named[:100]!r} names no repository, and there is no such folder", HINT)


def _folder(path: str) -> Place:
    whole = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(whole):
        raise ConfigurationError(f"{whole} is not a folder", HINT)
    return Place(whole, whole)


def _path_of(address: str) -> str:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(address)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise UsageError("a file: address must hold an absolute path", HINT)
    return unquote(parts.path)
