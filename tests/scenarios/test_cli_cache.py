"""The near tier through the real command: served, refused, exported, imported, judged, and absent."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.redis_server import redis_server

if TYPE_CHECKING:
    from pathlib import Path

ON = {"ENCYCLOPEDIA_EMBEDDER_USE": "auto"}
SCRIPT = """
import asyncio, sys
from encyclopedia import Card, Encyclopedia, Hit, QueryType, Reply

class Mine:
    card = Card("mine", serves={QueryType.LIBRARY_DOCS: 0.2}, description="for the test")

    async def search(self, request):
        return Reply(hits=(Hit(title=request.text, url="https://example.org/", content="text"),))

async def main():
    for question in sys.argv[1:]:
        async with Encyclopedia(sources=[Mine()]) as one:
            report = await one.search(question, sources="mine", verbose=True)
            use = report.body["verbose"]["cache"]
            print(report.cached, use["matched_query"], use["refused_by"], report.degraded, use.get("reason"), sep="|")

asyncio.run(main())
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def asked(command: Command, *questions: str, **env: str) -> list[list[str]]:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *questions],
        cwd=command.folder,
        env=command.env(**(ON | env)) | {"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]


@pytest.mark.spec("ENC-NEAR-11")
@pytest.mark.spec("ENC-CLI-19")
def test_other_words_are_served_look_alikes_refused_and_a_vote_decides(command: Command) -> None:
    first, second, third, fourth = asked(
        command, "how to convert json to yaml", "json to yaml conversion", "convert yaml to json", "convert from json into yaml"
    )
    assert first[0] == "False"
    assert second[:2] == ["True", "how to convert json to yaml"]
    assert (third[0], third[2]) == ("False", "direction")
    assert fourth[0] == "True"
    command.json("cache", "forbid", "convert json to yaml please", "how to convert json to yaml", **ON)
    assert asked(command, "convert json to yaml please")[0][::2][:2] == ["False", "feedback"]
    assert command.json("cache", "forbid", "x", "y", "--undo", **ON)["vote"] == 0


@pytest.mark.spec("ENC-SHARED-1")
def test_replicas_share_similar_questions_and_votes(tmp_path: Path) -> None:
    first, other = (Command(tmp_path / name) for name in ("first", "other"))
    for one in (first, other):
        one.folder.mkdir()
    with redis_server() as server:
        shared = {"ENCYCLOPEDIA_STATE_URL": server.url}
        assert asked(first, "how to convert json to yaml", **shared)[0][0] == "False"
        assert asked(other, "json to yaml conversion", **shared)[0][:2] == ["True", "how to convert json to yaml"]
        assert first.json("cache", "stats", **ON, **shared)["near"] == {"questions": 1, "vectors": 1, "absent": None}
        first.json("cache", "forbid", "convert json to yaml please", "how to convert json to yaml", **ON, **shared)
        assert asked(other, "convert json to yaml please", **shared)[0][::2][:2] == ["False", "feedback"]


@pytest.mark.spec("ENC-CLI-19")
@pytest.mark.spec("ENC-CACHE-17")
def test_answers_are_exported_to_a_private_file_and_imported_elsewhere(command: Command, tmp_path: Path) -> None:
    asked(command, "how to install numpy", "numpy installation")
    stats = command.json("cache", "stats", **ON)
    assert stats["near"] == {"questions": 1, "vectors": 1, "absent": None}
    done = command.json("cache", "export", **ON)
    file = command.home / "cache" / "semantic_cache.jsonl"
    assert (done["exported"], done["file"]) == (1, str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (line,) = map(json.loads, file.read_text().splitlines())
    assert (line["query"], len(line["embedding"])) == ("how to install numpy", 384)
    assert command("cache", "export", "-", **ON).stdout == file.read_text()
    copy = tmp_path / "copy.jsonl"
    old = json.dumps(line | {"timestamp": line["timestamp"] - 9999, "key": "0" * 64})
    copy.write_text(file.read_text() + "{}\nnonsense\n" + old + "\n")
    assert command.json("cache", "clear", **ON)["removed"] == 1
    assert asked(command, "installing numpy with pip")[0][0] == "False"
    done = command.json("cache", "import", str(copy), **ON)
    assert (done["imported"], done["expired"], done["refused"]) == (1, 1, 2)
    assert "line 2" in done["first_refused"]
    assert asked(command, "how do I install numpy")[0][:2] == ["True", "how to install numpy"]
    assert command.json("cache", "import", "nowhere.jsonl", code=1, **ON)["hint"] == "name the file that was exported"


@pytest.mark.spec("ENC-CACHE-17")
def test_a_line_that_never_ends_costs_no_other(command: Command, tmp_path: Path) -> None:
    asked(command, "how to install numpy")
    good = command("cache", "export", "-", **ON).stdout
    hostile = tmp_path / "hostile.jsonl"
    hostile.write_text(
        f"{'x' * (33 * 2**20)}\n{good}\0\n{'[' * 10**6}\n{good.replace('library_docs', 'repository', 1)}" + "y" * 2**25
    )
    command.json("cache", "clear", **ON)
    done = command.json("cache", "import", str(hostile), **ON)
    assert (done["imported"], done["expired"], done["refused"]) == (1, 0, 5)
    assert done["first_refused"] == "line 1: it is too long"


@pytest.mark.spec("ENC-NEAR-18")
def test_doctor_tells_whether_questions_in_other_words_find_answers(command: Command) -> None:
    def row(**env: str) -> dict[str, str]:
        checks = command.json("doctor", **env)["checks"]
        return next(check for check in checks if check["check"] == "similar questions")

    asked(command, "how to install numpy", "numpy installation", "what is a monad")
    assert (row(**ON)["status"], row(**ON)["detail"][:29]) == ("ok", "2 are stored, 2 with a vector")
    off = row(ENCYCLOPEDIA_EMBEDDER_USE="off")
    assert (off["status"], off["detail"]) == ("off", "embedder.use is off")
    lost = row(**ON, ENCYCLOPEDIA_EMBEDDER_PATH="/nowhere")
    assert lost["status"] == "off"
    assert "only the very words" in lost["detail"]
    assert lost["hint"]


@pytest.mark.spec("ENC-NEAR-10")
def test_without_vectors_the_very_words_are_found_and_the_near_tier_is_named_absent(command: Command) -> None:
    first, second, third = asked(
        command, "how to install numpy", "How to install numpy?", "numpy installation", ENCYCLOPEDIA_EMBEDDER_USE="off"
    )
    assert (first[0], second[0], third[0]) == ("False", "True", "False")
    assert first[3] == "False"  # nothing is promised of it
    command.with_notes()
    body = command.json("search", "rotate the signing keys", "--verbose")
    stages = {stage["name"]: stage["absent"] for stage in body["verbose"]["stages"]}
    assert stages["near cache"] == "embedder.use is off"
    assert body["degraded"] is False
    assert command.json("cache", "stats")["near"]["absent"] == "embedder.use is off"
    assert "no near tier" in command.json("cache", "forbid", "a", "b", code=1)["message"]


@pytest.mark.spec("ENC-NEAR-12")
def test_an_unknown_guard_is_named_with_the_nearest(command: Command) -> None:
    told = command.json("cache", "stats", code=1, ENCYCLOPEDIA_CACHE_GUARDS="numbers,directions", **ON)
    assert told["message"] == "unknown guard 'directions' in cache.guards"
    assert "direction" in told["hint"]


@pytest.mark.spec("ENC-NEAR-4")
def test_a_hit_for_the_very_words_loads_neither_model_nor_faiss(command: Command) -> None:
    command.with_notes()
    command.json("search", "rotate the signing keys", **ON)
    told = command.json("search", "rotate the signing keys", **ON)
    assert told["cached"] is True
    import subprocess

    argv = command.argv("search", "rotate the signing keys")
    argv[1:1] = ["-X", "importtime"]
    done = subprocess.run(argv, cwd=command.folder, env=command.env(**ON), capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert json.loads(done.stdout)["cached"] is True
    assert not loaded & {"numpy", "faiss", "tokenizers", "asyncio", "diskcache", "encyclopedia.engine.guards.checks"}
