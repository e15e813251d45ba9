"""The command ``model``, and what ``doctor`` says of it, as processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.switches import off

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = ["schema_version", "status", "model", "weights", "fingerprint", "dimension", "max_tokens", "runs_on", "indexes_with"]
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path, off())


@pytest.mark.spec("ENC-EMBED-14")
def test_show_tells_what_there_is_and_writes_nothing(command: Command) -> None:
    body = command.json("model", "show")
    assert list(body) == SHOWN
    assert (body["model"], body["runs_on"], body["dimension"]) == ("all-MiniLM-L6-v2", "minilm", 384)
    assert str(body["fingerprint"]).endswith("-mean-l2-256")
    assert "fingerprint" in command("model", "show", "--text").stdout
    assert not command.home.exists()


@pytest.mark.spec("ENC-EMBED-14")
def test_show_says_why_there_is_nothing(command: Command) -> None:
    done = command("model", "show", "--text", ENCYCLOPEDIA_EMBEDDER_PATH=str(command.folder))
    assert done.returncode == 1
    assert f"there are no vectors: embedder.path: {command.folder}/model.safetensors cannot be read" in done.stderr
    assert "set embedder.path" in done.stderr


@pytest.mark.spec("ENC-EMBED-14")
@pytest.mark.parametrize(
    ("settings", "status", "told"),
    [
        ({}, "ok", "all-MiniLM-L6-v2 on minilm"),
        ({"USE": "off"}, "off", "embedder.use is off"),
        ({"PATH": "/nowhere"}, "warn", "/nowhere/model.safetensors cannot be read"),
        ({"USE": "minilm", "PATH": "/nowhere"}, "warn", "/nowhere/model.safetensors cannot be read"),
    ],
)
def test_doctor_tells_of_the_model(command: Command, settings: dict[str, str], status: str, told: str) -> None:
    done = command.json("doctor", **{f"ENCYCLOPEDIA_EMBEDDER_{name}": value for name, value in settings.items()})
    (row,) = (check for check in done["checks"] if check["check"] == "model")
    assert row["status"] == status
    assert told in row["detail"]
    assert status == "ok" or row["hint"]


@pytest.mark.spec("ENC-EMBED-14")
@pytest.mark.parametrize(
    ("hub", "code", "told"),
    [
        (NOBODY, 3, "the model cannot be fetched: 127.0.0.1:9 could not be reached"),
        ("ftp://hub", 1, "embedder.hub cannot be used: a URL must begin with http:// or https://"),
    ],
)
def test_fetch_says_why_it_could_not(command: Command, hub: str, code: int, told: str) -> None:
    done = command("model", "fetch", "--text", ENCYCLOPEDIA_EMBEDDER_HUB=hub)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr


@pytest.mark.spec("ENC-EMBED-14")
def test_a_file_in_the_working_folder_cannot_choose_the_model_or_where_it_comes_from(command: Command) -> None:
    names = ("MODEL=somebody/else", "HUB=http://127.0.0.1:9", "PATH=/nowhere")
    (command.folder / ".env.local").write_text("".join(f"ENCYCLOPEDIA_EMBEDDER_{name}\n" for name in names))
    settings = command.json("config", "show")["settings"]
    assert {settings[f"embedder.{name}"]["origin"] for name in ("model", "hub", "path")} == {"default"}
