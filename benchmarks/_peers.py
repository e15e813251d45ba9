"""Libraries to compare with, each asked in a process of its own by a program in ``peers/``.

They are taken from this interpreter, else from those that ``BENCH_PYTHON`` names (several are parted as in
``PATH``), since they are heavy and may not agree with one another: ``pip install 'encyclopedia-search[bench]'`` there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._rows import Absent

PROGRAMS = Path(__file__).parent / "peers"
# Program → distributions that it needs, the peer itself first.
NEEDS = {
    "langchain_ensemble": ("langchain-classic", "langchain-core"),
    "llama_fusion": ("llama-index-core",),
    "haystack_joiner": ("haystack-ai",),
    "ranx_rrf": ("ranx",),
    "gptcache_hits": ("gptcache", "sqlalchemy", "faiss-cpu"),
    "bm25s_index": ("bm25s",),
    "fts5_index": (),
    "ir_measures_run": ("ir-measures",),
}
# Nobody is told of this run, and no peer installs anything by itself, as GPTCache would.
QUIET = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_INDEX": "1",
    "ANONYMIZED_TELEMETRY": "False",
}
VERSIONS = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
def of(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
print(json.dumps({name: of(name) for name in sys.argv[1:]}))
"""


class PeerError(Exception):
    """A peer that is there and did not do its work."""


def interpreters() -> tuple[str, ...]:
    """The one that runs this, then those that the environment names."""
    named = os.environ.get("BENCH_PYTHON", "")
    return (sys.executable, *(path for path in named.split(os.pathsep) if path))


@cache
def versions(python: str | None, names: tuple[str, ...]) -> dict[str, str]:
    """The versions of distributions in an interpreter (``None``: this one); empty for one that is not there."""
    told = subprocess.run([python or sys.executable, "-c", VERSIONS, *names], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(told.stdout)
    return found


@cache
def interpreter(program: str) -> str | None:
    """The first interpreter that has all that a program needs."""
    return next((python for python in interpreters() if all(versions(python, NEEDS[program]).values())), None)


def all_versions() -> dict[str, str]:
    """Every peer's version, of the interpreter that it would be run in."""
    return {
        name: version
        for program, names in NEEDS.items()
        for name, version in versions(interpreter(program), names).items()
        if name not in {"sqlalchemy", "faiss-cpu"}
    }


def absent(program: str) -> Absent:
    """What is said of a peer that is not installed."""
    return Absent(NEEDS[program][0], "pip install 'encyclopedia-search[bench]'")


def ask(program: str, given: Any, *, timeout: float = 1800) -> Any:
    """What the program prints about ``given``, ``None`` where its peer is not installed; raises ``PeerError`` if it fails."""
    python = interpreter(program)
    if python is None:
        return None
    done = subprocess.run(
        [python, str(PROGRAMS / f"{program}.py")],
        input=json.dumps(given),
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    if done.returncode:
        raise PeerError(f"{program}: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])
