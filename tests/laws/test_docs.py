"""The documents tell the truth: every command and setting stands in the README, and every command in it exists."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia.faces.cli.commands import COMMANDS, parse
from encyclopedia.model.settings import Settings
from encyclopedia.wiring.settings import names_of
from tests.switches import off

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"```(?:{language})\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def shown() -> list[str]:
    return [line[2:] for block in blocks("README.md", "console|text") for line in block.splitlines() if line.startswith("$ ")]


def run(folder: Path, *command: str) -> str:
    """What a process prints that has an empty home in ``folder``, and of all sources on the network none."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": f"{folder}:{ROOT}:{ROOT / 'adapters'}",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=env | off("packages"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.spec("ENC-HOUSE-9")
def test_every_command_is_in_the_readme() -> None:
    used = {shlex.split(line)[1] for line in shown() if line.startswith("encyclopedia ")}
    assert used >= set(COMMANDS)


@pytest.mark.spec("ENC-HOUSE-9")
@pytest.mark.parametrize("line", [line for line in shown() if line.startswith("encyclopedia ")])
def test_every_command_of_the_readme_parses(line: str) -> None:
    assert parse(shlex.split(line)[1:])


@pytest.mark.spec("ENC-HOUSE-9")
def test_every_make_target_of_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for line in shown():
        if line.startswith("make "):
            assert re.search(rf"^{line[5:]}:", makefile, re.MULTILINE), line


@pytest.mark.spec("ENC-HOUSE-9")
def test_every_setting_is_in_the_readme() -> None:
    for name in names_of(Settings()):
        assert f"`{name}`" in README, name


@pytest.mark.spec("ENC-HOUSE-9")
def test_every_link_to_a_file_leads_somewhere() -> None:
    for document in ROOT.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name}: {target}"


@pytest.mark.spec("ENC-HOUSE-9")
def test_the_table_of_a_source_in_the_documents_is_accepted() -> None:
    import tomllib

    from encyclopedia.wiring.plugins import entry_points
    from encyclopedia.wiring.requirements import plugin

    kinds = entry_points()["encyclopedia.kinds"]
    shown = [(document, block) for document in ("README.md", "CONTRIBUTING.md") for block in blocks(document, "toml")]
    tables = [(document, tomllib.loads(block)["sources"]) for document, block in shown if block.startswith("[sources.")]
    assert {document for document, _ in tables} == {"README.md", "CONTRIBUTING.md"}
    for _, sources in tables:
        for name, table in sources.items():
            card = plugin(kinds[table["kind"]])
            assert card(name, {key: value for key, value in table.items() if key != "kind"}).name == name


@pytest.mark.spec("ENC-HOUSE-10")
def test_the_python_of_the_readme_runs_as_it_stands(tmp_path: Path) -> None:
    (script,) = blocks("README.md", "python")
    (tmp_path / "script.py").write_text(script)
    lines = run(tmp_path, "script.py").splitlines()
    assert [line.partition(" ")[0] for line in lines[:3]] == ["1", "2", "3"]
    assert "aiohttp" in lines[0]
    assert "'source': 'packages', 'status': 'ok'" in lines[3]


@pytest.mark.spec("ENC-HOUSE-10")
def test_the_source_of_the_contributors_guide_answers_when_it_is_registered_as_told(tmp_path: Path) -> None:
    import tomllib

    (module,) = blocks("CONTRIBUTING.md", "python")
    (project,) = (block for block in blocks("CONTRIBUTING.md", "toml") if block.startswith("[project."))
    (line,) = (line[2:] for block in blocks("CONTRIBUTING.md", "console") for line in block.splitlines())
    (tmp_path / "changelog_source.py").write_text(module)
    (tmp_path / "changelog-1.0.dist-info").mkdir()
    (group, entries), *_ = tomllib.loads(project)["project"]["entry-points"].items()
    rows = "".join(f"{name} = {target}\n" for name, target in entries.items())
    (tmp_path / "changelog-1.0.dist-info" / "entry_points.txt").write_text(f"[{group}]\n{rows}")
    body = json.loads(run(tmp_path, "-m", *shlex.split(line)))
    assert [(row["title"], row["content"]) for row in body["results"]] == [("1.2.0", "News about release notes")]
