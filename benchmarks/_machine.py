"""What a table was measured on: the machine, Python, the commit, and the versions of everything that was compared."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from benchmarks import _peers, _size

LIBRARIES = ("encyclopedia-search", "tantivy", "numpy", "faiss-cpu", "tokenizers", "aiohttp", "sentence-transformers")


def machine() -> dict[str, Any]:
    """Processor, cores, memory in GiB, system, Python, and whether the run is a quick one."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory GiB": round(memory, 1),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "size": _size.sized("whole", "quick: small sizes, which prove no bar that names a large one"),
    }


def processor() -> str:
    """The model's name where the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def load() -> list[float]:
    """Processes that wanted a core, over the last 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def versions() -> dict[str, str]:
    """Name and version of what is compared; empty for one that is not installed."""
    return _peers.versions(None, LIBRARIES) | _peers.all_versions()


def commit() -> str:
    """The commit that is measured, marked if files differ from it; empty outside a checkout."""
    asked = ["git", "describe", "--always", "--dirty=+", "--abbrev=9"]
    try:
        told = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return told.stdout.strip()
