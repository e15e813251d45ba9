"""What others publish is taken from the registry and asked for real: source distributions by `code`, an MCP server as a source."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from encyclopedia import Encyclopedia
from tests.switches import off

QUESTIONS = {
    "pybreaker": ("where is it decided whether an exception counts as a failure", "def is_system_error(", "_handle_error"),
    "jmespath": ("where is the type of an argument checked", "def _validate_arguments(", "call_function"),
    "structlog": ("where is the timestamp added to log entries", "class TimeStamper", "MaybeTimeStamper"),
}
"""Package → question, the definition that must stand first, and one of those that call it."""


def unpacked(package: str, folder: Path) -> Path:
    """The source distribution of a package, unpacked."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), package], check=True, capture_output=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "source", filter="data")
    (root,) = (folder / "source").iterdir()
    return root


@pytest.mark.parametrize("package", QUESTIONS)
async def test_a_source_distribution_is_read_and_names_file_lines_and_callers(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, defined, caller = QUESTIONS[package]
    root = unpacked(package, tmp_path)
    monkeypatch.chdir(tmp_path)
    environ = {"PATH": "/usr/bin:/bin", **off("mcp_git_ingest")}
    async with Encyclopedia(home=str(tmp_path / "home"), environ=environ) as e:
        found = await e.code(str(root), question, depth="deep", limit=3)
    first = found.to_dict()["files"][0]
    begin, end = first["lines"]
    text = (root / first["path"]).read_text().splitlines()[begin - 1 : end]
    assert any(defined in line for line in text)
    assert caller in str(first["callers"])


async def test_a_published_mcp_server_is_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It pins another version of the protocol's package than ours, so it gets an environment of its own."""
    monkeypatch.chdir(tmp_path)
    venv.create(tmp_path / "server", with_pip=True)
    python = tmp_path / "server" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "mcp-server-git"], check=True, capture_output=True)
    repository = tmp_path / "repository"
    for command in (["init", "-q"], ["config", "user.email", "a@example.org"], ["config", "user.name", "a"]):
        subprocess.run(["git", *(["-C", str(repository)] if command[0] != "init" else []), *command, *([str(repository)] if command[0] == "init" else [])], check=True)  # fmt: skip
    (repository / "a.md").write_text("widgets")
    subprocess.run(["git", "-C", str(repository), "add", "a.md"], check=True)
    subprocess.run(["git", "-C", str(repository), "commit", "-qm", "Add the widgets"], check=True)
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        f"""
[sources.gitlog]
kind = "mcp"
serves = {{ library_docs = 0.3 }}
command = ["{python}", "-m", "mcp_server_git"]
tool = "git_show"
arguments = {{ repo_path = "{repository}", revision = "{{query}}" }}
allow = ["git_show"]
timeout = 20.0
"""
    )
    async with Encyclopedia(home=str(home), environ={"PATH": "/usr/bin:/bin", **off()}) as e:
        report = await e.search("HEAD", sources="gitlog", timeout=30.0)
    assert "Add the widgets" in report.results[0].content
