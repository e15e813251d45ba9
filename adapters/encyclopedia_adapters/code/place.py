"""Where a repository is: from what was asked for to an address that git may be given."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.shared.containment import within
from encyclopedia_adapters.shared.guard import normal_url, origin

NAME = r"(?!.*\.\.)[A-Za-z0-9_][\w.-]{0,99}(?:/(?!\.?(?:/|$))[\w.][\w.-]{0,99}){1,7}"
LONGEST = 500
DEFAULT = "https://github.com"
_BY_NAME = ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "gitea.com")
"""Hosts that redirect a repository's address unless it ends in .git; redirects are not followed."""


class Place(NamedTuple):
    """A repository: ``url`` is what git is given, ``name`` what it is called, ``web`` its page (empty for a local one).

    ``known`` tells that the operator named this host and port, so that it may lie inside the network.
    """

    url: str
    name: str
    protocol: str
    web: str = ""
    known: bool = False


def place(repository: str, base: str = "", folders: tuple[str, ...] = ()) -> Place:
    """The repository that ``owner/name`` (on ``base``, GitHub without one), an address or an absolute path stands for.

    A path is taken only inside ``folders``, which somebody at this machine has named. Raises ``Refused`` for everything else.
    """
    base = (base or DEFAULT).rstrip("/")
    if not repository or len(repository) > LONGEST or not repository.isprintable() or repository.startswith("-"):
        raise Refused("this names no repository: write owner/name or an https:// address")
    if repository.startswith(("/", "file:")):
        return _local(repository, folders)
    if "://" in repository:
        return _remote(repository, base)
    if not repository.isascii() or not re.fullmatch(NAME, repository):
        raise Refused("this names no repository: write owner/name or an https:// address")
    name = repository.removesuffix(".git")
    if base.startswith("file:"):
        return _in_folder(base, name)
    return _remote(f"{base}/{name}", base)


def by_hand(folder: str) -> Place:
    """The folder of this machine that somebody named by hand. Raises ``Refused`` if there is none."""
    return _local(folder, (folder,))


def is_bare(folder: str) -> bool:
    """Whether a folder is a repository without files beside it."""
    return all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))


def blob(found: Place, commit: str, quoted: str, lines: tuple[int, int] | None) -> str:
    """The page of a file (``quoted``, percent-encoded) at a commit; empty where the forge's addresses are not known."""
    host = urlsplit(found.web).hostname or ""
    first, last = lines or (0, 0)
    if "gitlab" in host:
        return f"{found.web}/-/blob/{commit}/{quoted}" + (f"#L{first}-{last}" if lines else "")
    if host == "bitbucket.org":
        return f"{found.web}/src/{commit}/{quoted}" + (f"#lines-{first}:{last}" if lines else "")
    if host == "codeberg.org" or "gitea" in host or "forgejo" in host:
        return f"{found.web}/src/commit/{commit}/{quoted}" + (f"#L{first}-L{last}" if lines else "")
    if "github" in host:
        return f"{found.web}/blob/{commit}/{quoted}" + (f"#L{first}-L{last}" if lines else "")
    return ""


def _remote(url: str, base: str) -> Place:
    try:
        parts = urlsplit(normal_url(url))
        known = not base.startswith("file:") and base != DEFAULT and origin(url) == origin(base)
    except ValueError as fault:
        raise Refused(f"the address of the repository: {fault}") from None
    if parts.scheme != "https" and not known:
        raise Refused("a repository is read over https:// only")
    host = parts.hostname or ""
    path = _bare_path(host, parts.path)
    name = unquote(path).strip("/")
    if host.startswith("-") or not name or ".." in name.split("/") or not name.isprintable():
        raise Refused("the address names no repository")
    web = parts._replace(path=path, query="", fragment="").geturl()
    by_name = known or host in _BY_NAME
    return Place(f"{web}.git" if by_name else web + parts.path[len(path) :].rstrip("/"), name, parts.scheme, web, known)


def _bare_path(host: str, path: str) -> str:
    """The path of a repository's address without ``.git``, and without the page of it that a browser shows."""
    path = path.partition("/-/")[0].rstrip("/")
    if host in ("github.com", "codeberg.org", "bitbucket.org"):
        path = "/".join(path.split("/")[:3])
    return path.removesuffix(".git")


def _local(repository: str, folders: tuple[str, ...]) -> Place:
    path = _path_of(repository)
    real = os.path.realpath(path)
    inside = any(within(root, real) for root in map(os.path.realpath, folders))
    if not inside:
        raise Refused("a folder of this machine is read only where it was named by hand: `encyclopedia code PATH …`")
    if not os.path.isdir(real):
        raise Refused("there is no such folder")
    return Place(f"file://{quote(real)}", os.path.basename(real).removesuffix(".git") or "repository", "file")


def _in_folder(base: str, name: str) -> Place:
    """A repository of a folder that the operator configured as the forge."""
    root = _path_of(base)
    path = next((p for p in (f"{root}/{name}", f"{root}/{name}.git") if os.path.isdir(p)), "")
    if not path:
        raise Refused(f"there is no repository {name} in the configured folder")
    return Place(f"file://{quote(path)}", name, "file", known=True)


def _path_of(repository: str) -> str:
    if not repository.startswith("file:"):
        return repository
    parts = urlsplit(repository)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise Refused("a file: address must hold an absolute path")
    return unquote(parts.path)
