"""Repositories through the real command: local ones, a forge on loopback, and what cannot be read."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.adapters.code import forge
from tests.encyclopedia.faces.cli.command import Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def command(tmp_path: Path) -> Command:
    made = Command(tmp_path)
    made.environ.pop("ENCYCLOPEDIA_ENABLE_MCP_GIT_INGEST", None)
    return made


@pytest.fixture
def served(tmp_path: Path, command: Command) -> Iterator[forge.Forge]:
    """A forge with the repository Acme/WebKit, configured for both sources."""
    forge.repository(tmp_path / "forge" / "Acme" / "WebKit", forge.WEBKIT)
    forge.git("config", "uploadpack.allowFilter", "true", cwd=tmp_path / "forge" / "Acme" / "WebKit")
    with forge.forge(tmp_path / "forge") as one:
        command.settings("".join(f'[sources.{name}]\nbase_url = "{one.url}"\n' for name in ("mcp_git_ingest", "codegraph")))
        yield one


@pytest.mark.spec("ENC-CODE-1")
def test_a_folder_is_asked_in_a_pipe_and_as_text(command: Command) -> None:
    forge.repository(command.folder / "webkit", forge.WEBKIT)
    body = command.json("code", "webkit", "how", "does", "compile_pattern", "work", "--depth", "deep", "--limit", "1")
    (row,) = body["files"]
    assert (row["path"], row["lines"]) == ("webkit/routing.py", [11, 13])
    assert row["callers"] == [{"name": "test_compile_pattern", "path": "tests/test_routing.py", "line": 2, "how": "by name"}]
    done = command("code", "./webkit", "how does compile_pattern work", "--text")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("webkit/routing.py:11-14 holds `def compile_pattern(path):`")
    assert "\n 1. webkit/routing.py:11-14\n    compile_pattern\n" in done.stdout


@pytest.mark.spec("ENC-CODE-1")
def test_a_repository_of_a_forge_is_asked_by_name_in_its_own_case(command: Command, served: forge.Forge) -> None:
    body = command.json("code", "Acme/WebKit", "where is compile_pattern", "--depth", "deep")
    assert (body["repository"], body["files"][0]["path"]) == ("Acme/WebKit", "webkit/routing.py")
    assert body["commit"] == forge.git("rev-parse", "HEAD", cwd=served.root / "Acme" / "WebKit")[:12]
    assert {row["source"]: row["status"] for row in body["outcomes"]} == {"mcp_git_ingest": "ok", "codegraph": "ok"}
    assert served.count("git-upload-pack") > 0
    assert not body["degraded"]


@pytest.mark.spec("ENC-CODE-11")
def test_a_search_that_names_a_repository_reads_it(command: Command, served: forge.Forge) -> None:
    body = command.json("search", "repo:Acme/WebKit middleware handler")
    assert body["query_type"] == "code_context"
    assert (body["results"][0]["locator"]["corpus"], body["results"][0]["locator"]["path"]) == ("Acme/WebKit", "docs/guide.rst")
    assert all("/Acme/WebKit" in path for path, _ in served.seen)
    (row,) = (row for row in body["outcomes"] if row["source"] == "mcp_git_ingest")
    assert row["status"] == "ok"
    alone = command.json("search", "repo:Acme/WebKit")
    assert (alone["query_type"], alone["results"][0]["title"]) == ("repository", "README.md > Webkit")


@pytest.mark.spec("ENC-CODE-5", "ENC-CODE-11")
def test_a_repository_that_cannot_be_reached_is_an_outcome(command: Command, served: forge.Forge) -> None:
    searched = command.json("search", "repo:Acme/Nothing middleware", code=3)
    assert "mcp_git_ingest" in {row["source"] for row in searched["outcomes"] if row["status"] == "error"}
    told = command.json("code", "Acme/Nothing", "middleware", "--depth", "deep", code=3)
    assert (told["status"], told["code"], told["degraded"]) == ("error", 3, True)
    assert [(row["source"], row["status"]) for row in told["outcomes"]] == [("mcp_git_ingest", "error"), ("codegraph", "error")]
    assert "it is not there, or private" in told["message"]
    served.status = 503
    gone = command.json("code", "Acme/WebKit", "middleware", code=3)
    assert gone["outcomes"][0]["status"] == "unavailable"
    assert (gone["repository"], gone["files"]) == ("Acme/WebKit", [])


@pytest.mark.spec("ENC-CODE-5", "ENC-CODE-6")
def test_nothing_found_and_wrong_usage_have_their_codes(command: Command) -> None:
    forge.repository(command.folder / "webkit", forge.WEBKIT)
    nothing = command.json("code", "webkit", "zebra stripes", code=2)
    assert (nothing["files"], nothing["analysis"], nothing["degraded"]) == ([], "", False)
    assert [row["status"] for row in nothing["outcomes"]] == ["empty"]
    assert "unknown depth" in command.json("code", "webkit", "router", "--depth", "deeper", code=1)["message"]
    assert command.json("code", "webkit", code=64)["code"] == 64
    assert "names no repository" in command.json("code", "nowhere", "router", code=64)["message"]
    readable = command("code", "webkit", "zebra stripes", "--text")
    assert (readable.returncode, readable.stdout) == (2, "")
    assert "use words that stand in the code" in readable.stderr


@pytest.mark.spec("ENC-CODE-4")
def test_without_the_extra_the_answer_is_shallow_and_names_the_remedy(command: Command) -> None:
    forge.repository(command.folder / "webkit", forge.WEBKIT)
    start = "import sys; sys.modules['tree_sitter'] = None; from encyclopedia.__main__ import main; sys.exit(main())"
    argv = [sys.executable, "-c", start, "code", "webkit", "compile_pattern", "--depth", "deep"]
    done = subprocess.run(argv, cwd=command.folder, env=command.env(), capture_output=True, check=True, timeout=60)
    body = json.loads(done.stdout)
    assert (body["status"], body["degraded"], body["files"][0]["path"]) == ("success", True, "webkit/routing.py")
    (row,) = (row for row in body["degradation"]["missing"] if not row["optional"])
    assert (row["source"], row["reason"]) == ("codegraph", "tree_sitter is not installed")
    assert "codegraph" in row["hint"]


@pytest.mark.spec("ENC-CODE-10")
def test_hostile_text_of_a_repository_cannot_act(command: Command) -> None:
    forge.repository(
        command.folder / "webkit", {"a.py": "def widget():\n    '''\x1b[31mred\u202e'''\n    return '\x1b]0;x\x07'\n"}
    )
    done = command("code", "webkit", "widget", "--depth", "deep", "--text", "--color", "always")
    assert done.returncode == 0
    assert "\x1b]0" not in done.stdout
    assert "\u202e" not in done.stdout
    body = json.dumps(command.json("code", "webkit", "widget", "--depth", "deep"))
    assert "\\u001b" not in body
