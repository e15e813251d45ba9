from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from encyclopedia.faces.cli.config_file import create, text
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.environment import Environment
from encyclopedia.wiring.settings import load, shown

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = Environment({}, {})


def uncommented() -> str:
    """The file with every setting in force, and without the examples."""
    settings = text().split("\n# One table for each source")[0]
    return "\n".join(
        line.removeprefix("# ")
        for line in settings.splitlines()
        if (line.startswith(("[", "# ")) and " = " in line) or line.startswith("[")
    )


@pytest.mark.spec("ENC-CLI-21")
def test_nothing_in_the_file_is_in_force(tmp_path: Path) -> None:
    create(str(tmp_path))
    loaded = load(str(tmp_path), NOTHING)
    assert set(loaded.origins.values()) == {"default"}


@pytest.mark.spec("ENC-CLI-21")
def test_every_setting_is_there_with_its_default(tmp_path: Path) -> None:
    defaults = shown(load(str(tmp_path), NOTHING))
    (tmp_path / "config.toml").write_text(uncommented())
    loaded = load(str(tmp_path), NOTHING)
    assert shown(loaded) == defaults
    assert set(loaded.origins.values()) == {"file"}
    assert {name for name, origin in loaded.origins.items() if origin == "file"} == set(defaults)


@pytest.mark.spec("ENC-CLI-21")
def test_every_comment_can_be_taken_away() -> None:
    examples = text().split("\n# One table for each source")[1].splitlines()
    lines = [
        line.removeprefix("# ") for line in examples if line.startswith("# ") and (" = " in line or line.startswith("# ["))
    ]
    parsed = tomllib.loads("\n".join(lines))
    assert parsed["sources"]["intranet"]["kind"] == "json"
    assert parsed["corpora"]["notes"]["tags"] == ["own"]


@pytest.mark.spec("ENC-CLI-21")
def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = create(str(home))
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    assert path == str(home / "config.toml")


@pytest.mark.spec("ENC-CLI-21")
def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("timeout = 2.0\n")
    with pytest.raises(ConfigurationError, match="exists already"):
        create(str(tmp_path))
    assert (tmp_path / "config.toml").read_text() == "timeout = 2.0\n"
