"""Real repositories made with git, a forge on loopback that serves them, and the source over both."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context
from encyclopedia_adapters.code.mcp_git_ingest import CARD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NEUTRAL = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C", "PATH": os.environ["PATH"]}
WHO = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}

WEBKIT = {
    "README.md": "# Webkit\n\nA small router for the web.\n\n## Install\n\nUse the installer of your choice.\n",
    "docs/guide.rst": "Guide\n=====\n\nMiddleware\n----------\n\nMiddleware wraps each handler in turn.\n",
    "webkit/routing.py": (
        'import re\n\n\nclass Router:\n    """Finds the handler of a path."""\n\n'
        "    def add(self, path, handler):\n        self.routes[path] = handler\n\n\n"
        'def compile_pattern(path):\n    """A pattern out of a path with placeholders."""\n    return re.compile(path)\n'
    ),
    "tests/test_routing.py": "def test_compile_pattern():\n    assert compile_pattern('/a')\n",
}


def git(*arguments: str, cwd: Path, text: bytes = b"") -> str:
    done = subprocess.run(["git", *arguments], cwd=cwd, env=NEUTRAL | WHO, input=text, capture_output=True, check=True)
    return done.stdout.decode().strip()


def repository(path: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """A repository with one commit of these files."""
    path.mkdir(parents=True)
    git("init", "-q", "-b", "main", cwd=path)
    if files:
        commit(path, files)
    return path


def commit(path: Path, files: Mapping[str, str | bytes]) -> str:
    """A commit that writes these files; its name."""
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    git("add", "-A", cwd=path)
    git("commit", "-q", "-m", "change", cwd=path)
    return git("rev-parse", "HEAD", cwd=path)


def source(home: Path, options: Mapping[str, object] | None = None, secrets: Mapping[str, str] | None = None) -> Any:
    known = secrets or {}
    context = Context(CARD.name, str(home), "agent", 20.0, None, lambda name: known.get(name, ""), options or {})
    return CARD.make(context)


def request(text: str, repository: str = "acme/webkit", **more: Any) -> Request:
    return Request(
        **{"text": text, "type": QueryType.CODE_CONTEXT, "limit": 5, "timeout": 30.0, "repository": repository, **more}
    )


class _Handler(http.server.BaseHTTPRequestHandler):
    """Hands requests to git's own server, or does what the forge was told to do with all of them."""

    forge: Forge

    def _do(self) -> None:
        forge = self.forge
        forge.seen.append((self.path, dict(self.headers)))
        forge.asked.set()
        if forge.hang:
            self.connection.recv(1)  # empty once the client has gone
            forge.left.set()
        elif forge.status:
            self.send_response(forge.status)
            for name, value in forge.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._serve()

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environment = {
            **NEUTRAL, "GIT_PROJECT_ROOT": str(self.forge.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path.replace(".git/", "/.git/", 1), "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""), "REMOTE_ADDR": "127.0.0.1",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


class Forge:
    """What the loopback forge does and has seen."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = ""
        self.status = 0
        self.hang = False
        self.headers: dict[str, str] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.asked, self.left = threading.Event(), threading.Event()

    def count(self, service: str) -> int:
        """How often git asked for this."""
        return sum(service in path for path, _ in self.seen)


@contextmanager
def forge(root: Path) -> Iterator[Forge]:
    told = Forge(root)
    handler = type("Handler", (_Handler,), {"forge": told, "do_GET": _Handler._do, "do_POST": _Handler._do})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
