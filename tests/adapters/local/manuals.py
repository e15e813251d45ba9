"""Reference documentation made for the tests, in each of its formats, all about the same clockwork."""

from __future__ import annotations

import json
import plistlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

CONF = """
project = "Orrery"
version = release = "2.4"
html_theme = "basic"
html_baseurl = "https://docs.example.org/orrery/"
"""
INDEX = "Orrery\n======\n\nA clockwork model of the planets.\n\n.. toctree::\n\n   gears\n"
GEARS = """
Gears
=====

Every planet hangs on one gear.

.. _ratio-tables:

Tables of ratios
----------------

Saturn needs the largest wheel.

.. py:module:: orrery.gears

.. py:function:: mesh(first, second, *, slack=0.1)

   Bring two gears together; ``slack`` is in millimetres.

.. py:class:: Train(teeth)

   A train of gears.

   .. py:method:: turn(angle)

      Turn the whole train by an angle in degrees.

   .. py:method:: hidden()
      :no-index:

Closing remark about lubrication.
"""
PAGE = (
    '<html><head><title>Gears</title></head><body><h1 id="gears">Gears</h1><p>Every planet hangs on one gear.</p>'
    '<a name="//apple_ref/cpp/Function/mesh" class="dashAnchor"></a><h2 id="mesh">mesh</h2>'
    "<p>Bring two gears together; slack is in millimetres.</p>"
    '<h2 id="turn">turn</h2><p>Turn the whole train by an angle in degrees.</p>{more}</body></html>'
)
CREDIT = (
    '<div class="_attribution"><p class="_attribution-p">Licensed to nobody<br>'
    '<a href="https://docs.example.org/orrery/gears.html?a=1&amp;b=2" class="_attribution-link">source</a></p></div>'
)
LLMS = """# Orrery

> A clockwork model of the planets.

Read the gears first.

## Docs

- [Gears](https://docs.example.org/orrery/gears.md): how gears come together
- [Cranks](https://docs.example.org/orrery/cranks): turning by hand
- [Outside](../secret.md): must not be read

## Optional

* [History](/history.html) - who built it
"""
GEARS_MD = "# Gears\n\nEvery planet hangs on one gear.\n\n## mesh\n\nBring two gears together; slack is in millimetres.\n"
FULL = """# Gears
Source: https://docs.example.org/orrery/gears

Every planet hangs on one gear.

## mesh

Bring two gears together; slack is in millimetres.

# Cranks

Turning by hand.
"""


@cache
def built() -> Path:
    """A real Sphinx build, made once."""
    folder = Path(mkdtemp(prefix="orrery-"))
    for name, text in {"conf.py": CONF, "index.rst": INDEX, "gears.rst": GEARS}.items():
        (folder / name).write_text(text)
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, folder / "out"], check=True, timeout=120)
    return folder / "out"


def rows(path: Path, *statements: tuple[str, list[tuple[object, ...]]]) -> None:
    """Write a database; each statement with its rows, or alone."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for text, values in statements:
            if values:
                connection.executemany(text, values)
            else:
                connection.execute(text)


def docset(folder: Path, *names: tuple[str, str, str], core_data: bool = False, **pages: str) -> Path:
    """``Orrery.docset`` in ``folder`` with a page ``gears.html``, of the plain or the Core Data form."""
    root = folder / "Orrery.docset"
    documents = root / "Contents" / "Resources" / "Documents"
    documents.mkdir(parents=True)
    (documents / "gears.html").write_text(PAGE.format(more=""))
    for name, text in pages.items():
        (documents / name).write_text(text)
    facts = {"CFBundleName": "Orrery", "CFBundleVersion": "2.4", "DashDocSetFallbackURL": "https://docs.example.org/orrery"}
    (root / "Contents" / "Info.plist").write_bytes(plistlib.dumps(facts))
    table = root / "Contents" / "Resources" / "docSet.dsidx"
    (_core_data if core_data else _plain)(
        table,
        [
            ("orrery.mesh", "Function", "<dash_entry_name=mesh><dash_entry_x=y>gears.html#//apple_ref/cpp/Function/mesh"),
            ("Gears", "Guide", "gears.html"),
            ("orrery.crank", "Function", "cranks.html#crank"),
            *names,
        ],
    )
    return root


def _plain(table: Path, names: list[tuple[str, str, str]]) -> None:
    rows(
        table,
        ("CREATE TABLE searchIndex(id INTEGER PRIMARY KEY, name TEXT, type TEXT, path TEXT)", []),
        ("INSERT INTO searchIndex(name, type, path) VALUES (?, ?, ?)", names),
    )


def _core_data(table: Path, names: list[tuple[str, str, str]]) -> None:
    parts = [(at, name, at, *link.partition("#")[::2]) for at, (name, _, link) in enumerate(names, 1)]
    rows(
        table,
        ("CREATE TABLE ZTOKEN(Z_PK INTEGER PRIMARY KEY, ZTOKENNAME TEXT, ZTOKENTYPE INTEGER, ZMETAINFORMATION INTEGER)", []),
        ("CREATE TABLE ZTOKENTYPE(Z_PK INTEGER PRIMARY KEY, ZTYPENAME TEXT)", []),
        ("CREATE TABLE ZTOKENMETAINFORMATION(Z_PK INTEGER PRIMARY KEY, ZFILE INTEGER, ZANCHOR TEXT)", []),
        ("CREATE TABLE ZFILEPATH(Z_PK INTEGER PRIMARY KEY, ZPATH TEXT)", []),
        ("INSERT INTO ZTOKEN VALUES (?, ?, ?, ?)", [(at, name, at, at) for at, name, *_ in parts]),
        ("INSERT INTO ZTOKENTYPE VALUES (?, ?)", [(at, kind) for at, (_, kind, _) in enumerate(names, 1)]),
        ("INSERT INTO ZTOKENMETAINFORMATION VALUES (?, ?, ?)", [(at, at, anchor or None) for at, _, _, _, anchor in parts]),
        ("INSERT INTO ZFILEPATH VALUES (?, ?)", [(at, path) for at, _, _, path, _ in parts]),
    )


def devdocs(folder: Path, slug: str = "orrery~2", *, release: str = "2.4", more: str = "") -> Path:
    """A slug's folder with one page and a name whose page is missing."""
    root = folder / slug
    root.mkdir(parents=True, exist_ok=True)
    entries = [
        {"name": "orrery.mesh()", "path": "gears#mesh", "type": "Gears"},
        {"name": "Gears", "path": "gears", "type": "Guide"},
        {"name": "orrery.crank()", "path": "cranks#crank", "type": None},
    ]
    (root / "index.json").write_text(json.dumps({"entries": entries, "types": []}))
    (root / "db.json").write_text(json.dumps({"gears": PAGE.format(more=more + CREDIT)}))
    (root / "meta.json").write_text(json.dumps({"name": "Orrery", "slug": slug, "release": release, "mtime": 1}))
    return root


def llms(folder: Path) -> Path:
    """A copy of a site with ``llms.txt`` and one of the pages that it links to."""
    root = folder / "site"
    root.mkdir()
    (root / "llms.txt").write_text(LLMS)
    (root / "orrery").mkdir()
    (root / "orrery" / "gears.md").write_text(GEARS_MD)
    (folder / "secret.md").write_text("# Secret\n\nclockwork password\n")
    return root
