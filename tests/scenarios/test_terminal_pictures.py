"""What a person sees on a terminal: in colour, in its place, and as the pictures of the documents.

`ENCYCLOPEDIA_SCREENSHOTS=docs python -m pytest tests/scenarios/test_terminal_pictures.py` makes them.
"""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.browser import browser
from tests.encyclopedia.faces.cli.command import Command

FIXTURES = Path(__file__).parents[1] / "fixtures"
DOCS = os.environ.get("ENCYCLOPEDIA_SCREENSHOTS", "")
COLUMNS = 100
DARK = TerminalTheme(
    (29, 31, 39),
    (216, 220, 230),
    [
        (29, 31, 39),
        (224, 90, 90),
        (90, 200, 110),
        (200, 200, 0),
        (100, 140, 240),
        (190, 120, 220),
        (0, 200, 200),
        (150, 150, 160),
    ],
)
PAGE = (
    "<meta charset=utf-8><style>body {{ background: #1d1f27; margin: 20px }} pre {{ font: 16px/22px 'DejaVu Sans Mono', monospace;"
    " color: #d8dce6; margin: 0 }} a {{ color: inherit; text-decoration: none }} {stylesheet}</style><pre>{code}</pre>"
)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    made = Command(tmp_path)
    made.json("corpus", "add", "books", str(FIXTURES / "books-patterns"), "--kind", "graph")
    made.json("corpus", "add", "decisions", str(FIXTURES / "adr-govuk"), "--tag", "adr")
    return made


@pytest.mark.spec("ENC-CLI-33")
@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("search", ("search", "obsever pattern notifies subscribers", "--limit", "3"), "searched also for: observer"),
        ("doctor", ("doctor",), "decisions"),
    ],
)
def test_a_terminal_shows_it_in_colour_and_a_picture_of_it_is_made(
    command: Command, tmp_path: Path, name: str, line: tuple[str, ...], said: str
) -> None:
    if name == "doctor":  # which asks nobody: all sources as they are by default
        command.environ = {"ENCYCLOPEDIA_EMBEDDER_USE": "off"}
    done = command(*line, "--text", "--color", "always", COLUMNS=str(COLUMNS))
    seen = done.stdout
    assert (done.returncode, said in Text.from_ansi(seen).plain, "\x1b[" in seen) == (0, True, True), done
    prompt = " ".join(f'"{word}"' if " " in word else word for word in line)
    picture = Path(DOCS or tmp_path) / f"{name}.png"
    paint(tmp_path, f"$ encyclopedia {prompt}\n{seen.replace(str(tmp_path), '~')}", picture)
    assert picture.stat().st_size > 10_000


def paint(folder: Path, seen: str, picture: Path) -> None:
    """A picture of what a terminal shows."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(seen))
    page = folder / "terminal.html"
    page.write_text(console.export_html(theme=DARK, code_format=PAGE, inline_styles=True), encoding="utf-8")
    with browser(page.as_uri()) as window:
        window.open("")
        window.size(COLUMNS * 10 + 20, 100)
        height = window.run("return document.documentElement.scrollHeight")
        window.size(COLUMNS * 10 + 20, int(height))
        assert window.driver.save_screenshot(str(picture))
