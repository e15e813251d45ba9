"""A few seconds of the soak: hundreds of searches while sources and the store break and are mended."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.spec("ENC-SOAK-1")
def test_nothing_is_wrong_lost_or_told_twice() -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "--searches", "400", "--concurrent", "16"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert "Traceback" not in done.stderr, done.stderr
    seen = json.loads(done.stdout)
    assert seen["searches"] == 400
    assert {"ok", "refused"} <= set(seen["outcomes"])
    assert [fault for fault in seen["broken"] if "later than they should" not in fault and "memory" not in fault] == []
