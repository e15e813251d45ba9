"""The program `git`, run so that nothing of a repository and nothing of the user's configuration can act."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PROGRAM = "git"
OUTPUT = 65_536
"""Bytes kept of what a short command prints."""
STEP = 0.05
_KEPT = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.symlinks=false", "core.fsmonitor=false", "core.attributesFile=/dev/null"),
    *("core.bigFileThreshold=1m", "pack.threads=1", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false"),
    *("filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false", "credential.helper="),
    *(
        "protocol.allow=never",
        "http.followRedirects=false",
        "http.lowSpeedLimit=500",
        "http.lowSpeedTime=20",
        "transfer.bundleURI=false",
        "transfer.fsckObjects=true",
    ),
    # Found in the history of honest repositories, and without effect where nothing is checked out.
    *("fetch.fsck.zeroPaddedFilemode=ignore", "fetch.fsck.badTimezone=ignore", "fetch.fsck.missingSpaceBeforeDate=ignore"),
)


class Stopped(Exception):
    """The time is up, or nobody waits for the answer any more."""


class Broken(Exception):
    """Git could not read what is there; the message says how it ended."""


class Limits(NamedTuple):
    """How long work may go on: ``until`` in monotonic seconds, or until ``stop`` is set."""

    until: float
    stop: threading.Event

    def check(self) -> None:
        """Raise ``Stopped`` if it is over."""
        if self.stop.is_set() or time.monotonic() > self.until:
            raise Stopped


class Done(NamedTuple):
    """A run that has ended: exit code, the beginning of its output, the end of its messages (not fit to be shown)."""

    code: int
    output: bytes
    messages: str


class Git:
    """Runs git in ``folder``, an existing private folder that also stands for the home of the user.

    ``settings`` are added to ours without standing in the list of arguments; ``protocol`` is the only one that git may use,
    none for what only reads.
    """

    def __init__(self, folder: str, protocol: str = "", settings: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_CEILING_DIRECTORIES": folder,
            "GIT_ALLOW_PROTOCOL": protocol or "none",
            "GIT_CONFIG_COUNT": str(len(settings or {})),
        }
        for number, (name, value) in enumerate((settings or {}).items()):
            self._environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}

    def run(self, arguments: Sequence[str], limits: Limits, watch: Callable[[], None] = lambda: None) -> Done:
        """Run to the end; ``watch`` is called every now and then and may raise. Raises ``Stopped`` when it takes too long."""
        limits.check()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
            with self._started(arguments, subprocess.DEVNULL, output, messages) as process:
                while _wait(process) is None:
                    limits.check()
                    watch()
            output.seek(0)
            messages.seek(max(0, messages.seek(0, os.SEEK_END) - OUTPUT))
            return Done(process.returncode, output.read(OUTPUT), messages.read().decode("utf-8", "replace"))

    @contextmanager
    def stream(self, arguments: Sequence[str], limits: Limits, lines: bytes = b"") -> Iterator[IO[bytes]]:
        """What git prints, to be read; ``lines`` is its input. Ended with the block, or when the time is up.

        Raises ``Stopped`` if the time was up, ``Broken`` if all was read and git failed nevertheless.
        """
        with tempfile.TemporaryFile() as source:
            source.write(lines)
            source.seek(0)
            with self._started(arguments, source, subprocess.PIPE, subprocess.DEVNULL) as process:
                timer = threading.Timer(max(0.0, limits.until - time.monotonic()), _end, (process,))
                timer.daemon = True
                timer.start()
                try:
                    assert process.stdout is not None  # noqa: S101 - for the type checker: it was asked for
                    yield process.stdout
                    if not process.stdout.read(1) and process.wait():
                        limits.check()
                        raise Broken(f"git ended with {process.returncode}")
                finally:
                    timer.cancel()

    @contextmanager
    def _started(
        self, arguments: Sequence[str], source: int | IO[bytes], output: int | IO[bytes], messages: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        process = subprocess.Popen(  # noqa: S603 - a list of arguments of our own making, operands after --
            [PROGRAM, "--no-pager", *settings, *arguments],
            stdin=source,
            stdout=output,
            stderr=messages,
            cwd=self._folder,
            env=self._environment,
            start_new_session=True,
        )
        with process:
            try:
                yield process
            finally:
                _end(process)


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(STEP)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git with the programs that it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
