"""The page on growth: its arithmetic runs and gives what it says, and it names nothing that does not exist."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from encyclopedia.faces.http.gate import AT_ONCE, PATIENCE, WAITING
from encyclopedia.faces.http.metrics import Metrics
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import Settings
from encyclopedia.wiring.settings import names_of
from tests.deploy.test_files import COMPOSE, DEPLOY, ROOT, known, of_kind

PAGE = (ROOT / "docs" / "scaling.md").read_text()
PROSE = " ".join(PAGE.split())
(SCRIPT,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def printed(script: str) -> str:
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def given(name: str) -> float:
    """What the script starts from under a name."""
    names: dict[str, Any] = dict(re.findall(rf"^({name}) = ([\d.]+)", SCRIPT, re.MULTILINE))
    return float(names[name])


@pytest.mark.spec("ENC-DEPLOY-9")
def test_the_arithmetic_gives_what_the_page_says() -> None:
    assert f"```text\n{printed(SCRIPT)}```" in PAGE
    changed = re.sub(r"^other = [\d.]+", "other = 0.15", SCRIPT, flags=re.MULTILINE)
    changed = re.sub(r"^again = [\d.]+", "again = 0.60", changed, flags=re.MULTILINE).replace("OTHER = 7.3", "OTHER = 36")
    assert changed.count("= 36,") == 1
    (many,) = re.findall(r"replicas +(\d+)", printed(changed))
    assert f"thousand needs {many} replicas" in PROSE
    (scaled,) = of_kind("HorizontalPodAutoscaler").values()
    assert int(many) <= scaled["spec"]["maxReplicas"]


@pytest.mark.spec("ENC-DEPLOY-9")
def test_what_the_arithmetic_starts_from_is_what_ships() -> None:
    assert given("PLACES") == AT_ONCE
    assert f"takes {AT_ONCE} searches at a time, lets {WAITING} more wait for five seconds" in PROSE
    assert PATIENCE == 5
    import tomllib

    config = tomllib.loads((DEPLOY / "config.toml").read_text())
    assert f"ENTRIES = {len(QueryType)} * {config['cache']['entries']}" in SCRIPT
    (scaled,) = of_kind("HorizontalPodAutoscaler").values()
    (metric,) = scaled["spec"]["metrics"]
    assert metric["resource"]["target"]["averageUtilization"] == given("BUSY") * 100
    assert f"from {scaled['spec']['minReplicas']} to {scaled['spec']['maxReplicas']} at" in PROSE
    assert "maxmemory 700mb" in " ".join(COMPOSE["services"]["redis"]["command"])


@pytest.mark.spec("ENC-DEPLOY-9")
def test_the_page_names_figures_settings_and_files_that_exist() -> None:
    figures = set(re.findall(r"^# TYPE (\w+)", Metrics().text()[0].decode(), re.MULTILINE))
    named = set(re.findall(r"`(encyclopedia_[a-z_]+)", PAGE))
    assert named
    assert named <= figures | {f"{name}_bucket" for name in figures}
    assert set(re.findall(r"`(ENCYCLOPEDIA_[A-Z_]+)", PAGE)) <= known()
    settings = set(re.findall(r"`((?:cache|embedder|synergy)\.\w+)", PAGE))
    assert {"cache.ttl", "embedder.use", "synergy.memories"} <= settings <= set(names_of(Settings()))
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
    for path in re.findall(r"\b(deploy/[\w./-]*\w)", PAGE):
        assert (ROOT / path).exists() or path == "deploy/keys.env", path
    assert "(docs/scaling.md)" in (ROOT / "README.md").read_text()
