"""The documents tell the truth: every command and setting stands in the README, and every command in it exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from encyclopedia.faces.cli.commands import COMMANDS, parse
from encyclopedia.model.settings import Settings
from encyclopedia.wiring.settings import names_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def shown() -> list[str]:
    blocks = re.findall(r"```(?:console|text)\n(.*?)```", README, re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


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

    from encyclopedia_adapters.generic.json_api import card

    for document in ("README.md", "CONTRIBUTING.md"):
        (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
        for name, table in tomllib.loads(block)["sources"].items():
            assert card(name, {key: value for key, value in table.items() if key != "kind"}).name == name
