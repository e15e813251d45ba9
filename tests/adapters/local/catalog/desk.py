"""A catalog corpus in a temporary folder, and the ways to look at it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

from encyclopedia.model.corpus import Corpus
from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.model.topic import TopicLoad
from encyclopedia.ports import Context
from encyclopedia_adapters.local.catalog import KIND

PATTERNS = Path(__file__).parents[3] / "fixtures" / "kg-java-patterns"
LATER = 10_000_000_000


def quiet(*_):
    pass


def lines(name):
    """The objects of a JSON-lines file of the fixture."""
    return [json.loads(line) for line in (PATTERNS / name).read_text(encoding="utf-8").splitlines()]


class NoResources:
    def get(self, name, make):
        raise AssertionError(f"a local source needs no {name}")


class Desk:
    """A corpus at ``root`` whose index lies in ``folder``."""

    def __init__(self, folder, root=None, **options):
        self.folder = Path(folder)
        self.root = Path(root or self.folder / "kb")
        self.corpus = Corpus(
            "kb", str(self.root), "catalog", str(self.folder / "index"), {QueryType.LIBRARY_DOCS: 0.4}, options=options
        )
        self.context = Context("kb", str(self.folder), "agent", 5.0, NoResources(), lambda name: "")

    @classmethod
    def of_patterns(cls, folder):
        """A copy of the fixture that may be changed."""
        shutil.copytree(PATTERNS, Path(folder) / "kb")
        return cls(folder)

    @property
    def catalog(self):
        return self.root / "docs" / "knowledge-index.md"

    def page(self, path, text="", /, **properties):
        """Write a page; properties as JSON, which is YAML."""
        target = self.root / "research" / "entities" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in properties.items())
        target.write_text(f"---\n{head}---\n{text}" if head else text, encoding="utf-8")
        return target

    def write_catalog(self, text):
        self.catalog.parent.mkdir(parents=True, exist_ok=True)
        self.catalog.write_text(text, encoding="utf-8")

    def index(self, **more):
        return KIND.index(self.corpus, quiet, **more)

    def report(self):
        return KIND.report(self.corpus)

    def load(self, topic, **more):
        return KIND.load(self.corpus, TopicLoad(topic, **more), quiet)

    def ids(self, topic, **more):
        return [row["id"] for row in self.load(topic, bodies=False, **more)["matches"]]

    def ask(self, text, *, limit=10, **more):
        source = KIND.card(self.corpus).make(self.context)
        return asyncio.run(source.search(Request(text, QueryType.LIBRARY_DOCS, limit, 5.0, **more)))


def later(path, seconds=LATER):
    """Set the times of a file far behind everything that is written now."""
    os.utime(path, (seconds, seconds))
