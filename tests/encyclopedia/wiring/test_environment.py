from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.wiring.environment import environment


@pytest.mark.spec("ENC-SETTINGS-5")
def test_the_environment_speaks_after_the_files(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    (home / ".env.local").write_text('EXA_API_KEY="from home"\nKAGI_API_KEY=home\nWIKI_TOKEN=home\n')
    (here / ".env.local").write_text("EXA_API_KEY=from here\nKAGI_API_KEY=here\n")
    found = environment(str(home), {"EXA_API_KEY": "from the environment"}, str(here))
    assert found.secret("EXA_API_KEY") == "from the environment"
    assert found.secret("KAGI_API_KEY") == "here"
    assert found.secret("WIKI_TOKEN") == "home"
    assert found.origins["WIKI_TOKEN"] == f"{home}/.env.local"
    assert found.secret("NOT_SET") == ""


@pytest.mark.spec("ENC-SETTINGS-5")
def test_a_file_in_the_working_folder_chooses_no_programs(tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_text(
        "EXA_CLI=/tmp/evil\nPATH=/tmp\nENCYCLOPEDIA_HOME=/tmp/x\nSEARXNG_URL=http://a.example\n"
    )
    found = environment(str(tmp_path / "home"), {}, str(tmp_path))
    assert dict(found.values) == {"SEARXNG_URL": "http://a.example"}


def test_a_file_that_cannot_be_read_is_no_file(tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_bytes(b"\xff\xfe\x00")
    assert dict(environment(str(tmp_path), {"A": "1"}, str(tmp_path)).values) == {"A": "1"}


def test_nothing_is_filled_in_from_other_names(tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_text("A=1\nB=${A}\n")
    assert environment(str(tmp_path), {}, str(tmp_path)).secret("B") == "${A}"
