"""One clone: asking a server what is newest, taking it without running anything, and what each failure means."""

from __future__ import annotations

import os
import re
from concurrent.futures import wait
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from encyclopedia.model.errors import AuthRefused, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.code.git_program import Git, Stopped
from encyclopedia_adapters.shared.guard import refuses
from encyclopedia_adapters.shared.names import look_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia_adapters.code.git_program import Done, Limits
    from encyclopedia_adapters.code.place import Place

BLOB_BYTES = 500_000
"""Files that are larger are not asked for: nobody reads them, and they would fill the cache."""
_WAIT = 60.0
_LOOK = 0.05
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# What git says in its own words (LC_ALL=C), in the order of looking; a server's words are never shown.
_MEANINGS: tuple[tuple[str, type[Refused | Unavailable | AuthRefused], str], ...] = (
    (r"dubious ownership", Refused, "it belongs to another user of this machine"),
    (r"fsck|gitmodules|invalid path|bad object|is corrupt|invalid index-pack", Refused, "it does not pass git's own checks"),
    (r"error: 30\d|unable to update url base|[Rr]edirect", Refused, "it has moved, and redirects are not followed"),
    (r"could not read Username|terminal prompts disabled", Refused, "it is not there, or private"),
    (r"Authentication failed|error: 40[13]", AuthRefused, "the server does not let us read it"),
    (r"error: 404|[Nn]ot found|does not appear to be a git|does not exist", Refused, "it is not there, or private"),
    (r"does not support shallow|dumb http", Refused, "its server cannot give a part of it"),
    (r"transport '\w+' not allowed", Refused, "its address is of a kind that is not allowed"),
)


class Remote:
    """The server side of a repository; ``home`` is a private folder for git to work in, ``token`` its credential, if any."""

    def __init__(self, place: Place, home: str, token: str = "") -> None:
        self._place = place
        self._home = home
        self._token = token

    def newest(self, limits: Limits) -> str:
        """The commit that the default branch stands at; empty for a repository without any. Raises ``SourceTrouble``."""
        done = self._run(["ls-remote", "--quiet", "--", self._place.url, "HEAD"], limits)
        found = _COMMIT.match(done.output)
        return found[0].decode() if found else ""

    def take(self, target: str, limits: Limits, most: int) -> str:
        """A bare clone of the newest commit in the new folder ``target``; the commit that it holds, or empty.

        Raises ``SourceTrouble``; ``Refused`` too when it grows above ``most`` bytes or does not come to an end in time.
        """
        size = 0

        def watch() -> None:
            nonlocal size
            size = folder_size(target)
            if size > most:
                raise Refused(f"{self._place.name} is larger than {most / 1_000_000:g} MB, the most that is taken")

        options = ["--bare", "--depth=1", "--single-branch", "--no-tags", "--quiet", "--template="]
        try:
            self._run(["clone", *options, f"--filter=blob:limit={BLOB_BYTES}", "--", self._place.url, target], limits, watch)
        except TimeoutError:
            if size < BLOB_BYTES or limits.stop.is_set():
                raise
            remedy = "give it more time with --timeout, and in [sources.mcp_git_ingest] timeout"
            raise Refused(f"{self._place.name} did not arrive in time ({size // 1_000_000} MB so far): {remedy}") from None
        watch()
        found = _COMMIT.match(
            Git(self._home).run(["--git-dir", target, "rev-parse", "--verify", "HEAD^{commit}"], limits).output
        )
        return found[0].decode() if found else ""

    def _run(self, arguments: list[str], limits: Limits, watch: Callable[[], None] = lambda: None) -> Done:
        try:
            settings = _pinned(self._place, limits) | _credential(self._place, self._token)
            done = Git(self._home, self._place.protocol, settings).run(arguments, limits, watch)
        except Stopped:
            raise TimeoutError(f"{_server(self._place)} did not give {self._place.name} in time") from None
        if done.code:
            raise _trouble(self._place, done)
        return done


def folder_size(path: str) -> int:
    """Bytes of all files under a folder that may be changing."""
    return sum(_size(os.path.join(above, name)) for above, _, names in os.walk(path) for name in names)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _server(place: Place) -> str:
    return (urlsplit(place.url).hostname or "this machine")[:100]


def _pinned(place: Place, limits: Limits) -> dict[str, str]:
    """Settings that hold git to the addresses that were looked at, so that a second look-up cannot lead it elsewhere."""
    if place.protocol == "file" or place.known:
        return {}
    parts = urlsplit(place.url)
    host, port = parts.hostname or "", parts.port or 443
    looking = look_up(host, port)
    while not wait((looking,), _LOOK).done:
        limits.check()
    try:
        found = {str(entry[4][0]) for entry in looking.result()}
    except (OSError, UnicodeError):
        raise Unavailable(f"{host} is not a name that can be resolved") from None
    public = sorted(address for address in found if not refuses(address))
    if not public:
        raise Refused(f"{host} leads to an address inside a network and was not configured by the operator")
    # An address in figures is looked up by nobody.
    return {} if public == [host] else {"http.curloptResolve": f"{host}:{port}:{','.join(public)}"}


def _credential(place: Place, token: str) -> dict[str, str]:
    if not token or not token.isprintable():
        return {}
    from base64 import b64encode

    parts = urlsplit(place.url)
    told = b64encode(f"oauth2:{token}".encode()).decode()
    return {f"http.{parts.scheme}://{parts.netloc}/.extraHeader": f"Authorization: Basic {told}"}


def _trouble(place: Place, done: Done) -> SourceTrouble:
    told = f"{place.name} on {_server(place)}"
    if re.search(r"error: 429", done.messages):
        return RateLimited(f"{_server(place)} answered HTTP 429: too many requests", _WAIT)
    for pattern, kind, sentence in _MEANINGS:
        if re.search(pattern, done.messages):
            return kind(f"{told} cannot be read: {sentence}")
    return Unavailable(f"{told} could not be read: git ended with {done.code}")
