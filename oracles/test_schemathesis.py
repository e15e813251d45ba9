"""Schemathesis asks the service all that its description allows, and much that it does not."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

from tests.encyclopedia.faces.cli.command import Command
from tests.serving import serving

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures"
CONFIG = """
[checks.positive_data_acceptance]
enabled = false # a name of the right shape may be that of nothing that there is

[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 502, 503, 504]
"""
KINDS = {"decisions": ("adr-govuk", "documents"), "patterns": ("kg-java-patterns", "catalog"), "uiux": ("ui-ux-csv", "grounding"),
         "books": ("books-patterns", "graph")}  # fmt: skip


def test_the_service_keeps_its_description(tmp_path: Path) -> None:
    venv.create(tmp_path / "tool", with_pip=True)
    python = tmp_path / "tool" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "schemathesis>=4.30,<5"], check=True, capture_output=True)
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    command = Command(tmp_path)
    for name, (path, kind) in KINDS.items():
        command.json("corpus", "add", name, str(FIXTURES / path), "--kind", kind)
    with serving(command) as served:
        run = [
            python.with_name("st"),
            "run",
            f"{served.url}/openapi.json",
            "--max-examples",
            "10",
            "--generation-deterministic",
        ]
        run += ["--request-timeout", "60"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
