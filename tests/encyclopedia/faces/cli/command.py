"""The real command in a process of its own, with a data folder of its own and nothing of the user's."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.switches import off

if TYPE_CHECKING:
    from pathlib import Path

OFF = off() | {"ENCYCLOPEDIA_EMBEDDER_USE": "off"}  # the tests of vectors switch it on
NOTE = """# Signing keys

## Rotate

Rotate the signing keys every quarter; tell the release manager first.

## Lost keys

Revoke a lost key at once.
"""
HOOK = """
import os, sys
LOG = os.open(os.environ["AUDIT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def hook(event, args):
    if event.startswith("socket.") and event != "socket.gethostname":
        os.write(LOG, f"{event}\\n".encode())
    elif event == "open" and isinstance(args[2], int) and args[2] & WRITES and args[0] != os.devnull:
        os.write(LOG, f"write {args[0]}\\n".encode())
    elif event in ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "subprocess.Popen", "os.posix_spawn", "os.exec"):
        os.write(LOG, f"{event} {args[0]}\\n".encode())
sys.addaudithook(hook)
"""


@dataclass
class Command:
    """Runs ``encyclopedia`` with ``folder`` as the working folder and ``folder/home`` as the data folder."""

    folder: Path
    environ: dict[str, str] = field(default_factory=lambda: dict(OFF))
    python: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def env(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ}
        base = {"HOME": str(self.folder), "ENCYCLOPEDIA_HOME": str(self.home), "PYTHONWARNINGS": "default", "TERM": "xterm"}
        return kept | base | self.environ | more

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, *self.python, "-m", "encyclopedia", *arguments]

    def __call__(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.env(**env),
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=120,
        )

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.env(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def json(self, *arguments: str, code: int = 0, **env: str) -> Any:
        done = self(*arguments, **env)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert done.stderr == "", done.stderr
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)

    def settings(self, text: str) -> None:
        self.home.mkdir(mode=0o700, exist_ok=True)
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def notes(self, **files: str) -> Path:
        """A folder of notes."""
        folder = self.folder / "notes"
        folder.mkdir(exist_ok=True)
        for name, text in (files or {"keys": NOTE}).items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        return folder

    def with_notes(self, **files: str) -> Command:
        """The same with the corpus ``notes`` registered and indexed."""
        self.json("corpus", "add", "notes", str(self.notes(**files)))
        return self

    def audited(self, *arguments: str, **env: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        """The finished process, and every socket, writing and child process that it tried."""
        hooks, log = self.folder / "hooks", self.folder / "audit.log"
        hooks.mkdir(exist_ok=True)
        (hooks / "sitecustomize.py").write_text(HOOK)
        log.write_text("")
        done = self(*arguments, PYTHONPATH=str(hooks), AUDIT_LOG=str(log), PYTHONDONTWRITEBYTECODE="1", **env)
        return done, log.read_text().splitlines()

    def modules(self, *arguments: str) -> set[str]:
        """The modules that a run imports."""
        done = Command(self.folder, self.environ, ("-X", "importtime"))(*arguments)
        assert done.returncode == 0, done.stdout
        return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}

    def terminal(self, *arguments: str, columns: int = 90, **env: str) -> tuple[int, str]:
        """Exit code, and everything that a terminal of so many columns gets to see."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        child = subprocess.Popen(
            self.argv(*arguments), cwd=self.folder, env=self.env(**env), stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        seen = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        return child.wait(), seen.decode("utf-8").replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other side is closed
        return b""


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file and folder below ``folder`` with its mode, time of change and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        stat = path.stat()
        found[str(path.relative_to(folder))] = (stat.st_mode, stat.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found
