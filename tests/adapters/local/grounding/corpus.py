"""A small corpus that each test may bend, and the published one with what its own program found in it."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from encyclopedia_adapters.local.grounding.schema_validator import load_manifest

DESIGN = Path(__file__).parents[3] / "fixtures" / "ui-ux-csv"
MANIFEST = {
    "manifest_version": 1,
    "domain": "storage",
    "tier": "conditional-grounding",
    "data_dir": ".",
    "retriever": "bm25",
    "default_domain": "engine",
    "domains": {
        "engine": {
            "file": "engines.csv",
            "search_cols": ["Name", "Keywords"],
            "output_cols": ["Name", "Keywords", "Level"],
            "max_results": 3,
        },
        "need": {"file": "needs.csv", "search_cols": ["Need", "Words"], "output_cols": ["Need"], "max_results": 1},
    },
    "detect": {"engine": ["engine", "database", "c#"], "need": ["need", "wish"]},
    "stacks": {"python": "stacks/python.csv"},
    "stack_cols": {"search_cols": ["Guideline"], "output_cols": ["Guideline", "Do"]},
    "reasoning": {
        "file": "rules.csv",
        "category_domain": "need",
        "category_column": "Need",
        "match_column": "Need",
        "rules_column": "Rules",
        "priority_column": "Wishes",
        "priority_domain": "engine",
        "name_columns": {"engine": "Name"},
        "plan": {"engine": 3, "need": 1},
    },
    "owner": "storage team",
    "refresh_cadence": "never",
    "upstream": {"repo": "example/tables", "sha": "0123abc", "last_checked": "2026-01-31"},
}
ENGINES = """\
Name,Keywords,Level
Plain files,simple folders text backup,LOW
SQLite,embedded database transactions single writer,MEDIUM
PostgreSQL,server database transactions concurrent writers,HIGH
Redis,server memory cache queue,high
"""
NEEDS = """\
Need,Words
Reporting,report totals dashboard month
Session cache,cache session login
Audit log/trail,audit log trail history
"""
RULES = """\
Need,Rules,Wishes,Note
Reporting,"{""if_many_writers"": ""use a server"", ""must_backup"": ""every night""}",PostgreSQL + SQLite,slow is fine
Session,"{""if_shared"": ""use a server""}",Redis,
General,not json,,
"""
PYTHON = """\
Guideline,Do
Close every connection,with closing(...)
Bind parameters,never format queries
"""


def manifest(**changes):
    """The manifest with other values at the top."""
    return copy.deepcopy(MANIFEST) | changes


def without(path):
    """The manifest without what stands at a dotted path."""
    made = manifest()
    *way, last = path.split(".")
    table = made
    for name in way:
        table = table[name]
    del table[last]
    return made


def changed(path, value):
    """The manifest with another value at a dotted path."""
    made = manifest()
    *way, last = path.split(".")
    table = made
    for name in way:
        table = table[name]
    table[last] = value
    return made


def write(folder: Path, made=None, **files) -> Path:
    """The corpus in a folder; ``files`` are others by stem, ``None`` leaves one out."""
    texts = {"engines": ENGINES, "needs": NEEDS, "rules": RULES, "stacks/python": PYTHON} | files
    (folder / "stacks").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text is not None:
            (folder / f"{name}.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "manifest.json").write_text(json.dumps(made or MANIFEST), encoding="utf-8")
    return folder


def loaded(folder: Path, made=None, **files):
    """The manifest of such a corpus as it is loaded."""
    return load_manifest(write(folder, made, **files))


def references(*ops):
    """What the published program found, for the given kinds of question."""
    lines = (DESIGN / "reference_results.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["op"] in ops]
