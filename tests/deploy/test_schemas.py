"""The files of the deployment are what those who read them take: by the linter of images, and by the schemas of compose and Kubernetes."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from tests.deploy.test_files import DEPLOY, OBJECTS, ROOT, instruction

BIN = Path(sys.executable).parent
OLDEST, NEWEST = "1.30", "1.37"
"""The releases of Kubernetes that the manifests are written for."""


def told(*command: str | Path) -> str:
    done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.spec("ENC-DEPLOY-7")
def test_the_linter_of_images_finds_nothing() -> None:
    assert told("hadolint", DEPLOY / "Containerfile") == ""


@pytest.mark.spec("ENC-DEPLOY-8")
def test_compose_reads_it(tmp_path: Path) -> None:
    check = ("check-jsonschema", "--builtin-schema", "vendor.compose-spec")
    assert told(*check, DEPLOY / "compose.yaml") == ""
    (tmp_path / "compose.yaml").write_text((DEPLOY / "compose.yaml").read_text().replace("stop_grace_period", "grace"))
    assert "grace" in told(*check, tmp_path / "compose.yaml")


@pytest.mark.spec("ENC-DEPLOY-8")
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("found", OBJECTS, ids=lambda found: f"{found['kind']} {found['metadata']['name']}")
def test_a_cluster_takes_it(found: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(found, version, strict=True)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found | {"specs": {}}, version, strict=True)


@pytest.mark.spec("ENC-DEPLOY-7")
def test_the_package_is_built_from_what_is_copied_into_the_image(tmp_path: Path) -> None:
    for line in instruction("COPY"):
        *sources, target = shlex.split(line)
        for source in sources if not line.startswith("--from") else ():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, tmp_path / target, ignore=shutil.ignore_patterns("__pycache__", ".env*"))
            else:
                (tmp_path / target).mkdir(exist_ok=True)
                shutil.copy(ROOT / source, tmp_path / target)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    named = zipfile.ZipFile(wheel).namelist()
    assert {"encyclopedia/__main__.py", "encyclopedia/_config/governance.toml"} <= set(named)
    assert any(name.startswith("encyclopedia_adapters/storage/") for name in named)
