"""With several local collections, packages and a service at once, the right one of them has the first result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from encyclopedia import Encyclopedia, Hit
from encyclopedia.model.query import QueryType
from encyclopedia.wiring import corpora
from encyclopedia_adapters.generic.fixed import Fixed
from encyclopedia_adapters.local.package_index import PackageIndex
from encyclopedia_adapters.local.package_search import PackageSearch
from encyclopedia_adapters.local.packages import CARD, PackageSource
from tests.switches import off

if TYPE_CHECKING:
    from encyclopedia.ports import Card

# Three collections that share common words, named so that the wrong one would win a tie by its name.
ATLAS = {
    "conduct.md": "# Code of conduct\n\nFollow the rules of the community, and report what does not. Last change: May.",
    "telemetry.md": "# Telemetry\n\nA session is counted once. The client sends the total time of it, no contents.",
    "backlinks.md": "# Backlinks\n\nEvery note lists the notes that link to it. The graph shows orphaned notes too.",
    "daily.md": "# Daily notes\n\nOne note for each day, made from a template at the first key press.",
    "tables.md": "# Tables\n\nA table is written with pipes; alignment by colons. Rich text is kept.",
    "policy.md": "# Privacy policy\n\nNo data leaves the machine.",
}
HTTPX = {
    "redirects.md": "# Redirection\n\nRedirects are not followed by default. Pass `follow_redirects=True` to follow them.",
    "timeouts.md": "# Timeouts\n\nThe default timeout is five seconds of network inactivity for each request.",
    "pool.md": "# Pool limits\n\nThe connection pool size is set with `limits`, for the client as a whole.",
    "proxies.md": "# Proxies\n\nEnvironment variables such as HTTP_PROXY tell which proxy to mount.",
}
DIARY = {
    "git.md": "# Git\n\n## Undo the last commit\n\n`git reset --soft HEAD~1` keeps the changes.\n",
    "boiler.md": "# Heating\n\nWhen the boiler pressure is below one bar, fill it up to 1.5 bar.",
    "bread.md": "# Bread\n\nFlour, water, salt; the dough rests over night.",
    "certificates.md": "# Certificates\n\nRenew the SSL certificate of the shop with certbot, each spring.",
    "postgres.md": "# Postgres\n\nRestart the database with systemctl; vacuum the orders table on Sundays.",
}
WIKI = [
    Hit("Vacation policy", "https://wiki.example.org/vacation", "Thirty days a year."),
    Hit("Travel expenses", "https://wiki.example.org/travel", "Keep every receipt."),
]
FIRST = [
    ("httpx follow redirects", "httpx", "Redirection"),
    ("httpx timeout", "httpx", "Timeouts"),
    ("connection pool size", "httpx", "Pool limits"),
    ("proxy environment variables", "httpx", "Proxies"),
    ("undo last commit", "diary", "Undo the last commit"),
    ("boiler pressure too low", "diary", "Heating"),
    ("how much salt for the dough", "diary", "Bread"),
    ("renew ssl certificate", "diary", "Certificates"),
    ("how do I restart postgres", "diary", "Postgres"),
    ("orphaned notes in the graph", "atlas", "Backlinks"),
    ("daily note template", "atlas", "Daily notes"),
    ("aiohttp client session timeout", "libraries", "aiohttp.Client"),
    ("aiohttp TCPConnector limit", "libraries", "aiohttp.TCPConnector"),
    ("rich Table", "libraries", "rich.table.Table"),
    ("doc: rich progress bar", "libraries", "rich.progress"),
    ("load .env file", "libraries", "dotenv.load_dotenv"),
    ("vacation policy", "wiki", "Vacation policy"),
]


def libraries(folder: Path) -> Card:
    """The source ``packages`` over a few of this project's own dependencies."""
    import aiohttp

    site = folder / "site"
    site.mkdir()
    installed = Path(aiohttp.__file__).parent.parent
    for pattern in ("aiohttp", "aiohttp-*", "rich", "rich-*", "dotenv", "python_dotenv-*"):
        for entry in installed.glob(pattern):
            (site / entry.name).symlink_to(entry)
    index = PackageIndex(str(folder / "packages"), paths=[str(site)], standard=False)
    index.bring(list(index.units().values()), lambda: None, done=lambda _: None)
    search = PackageSearch(index, "libraries", [str(site)])
    return CARD._replace(name="libraries", make=lambda _: PackageSource(search))


class Wiki(Fixed):
    """Answers every question with all that it has, as a weak search engine does."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    for name, files in (("atlas", ATLAS), ("httpx", HTTPX), ("diary", DIARY)):
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text)
        corpora.add(str(folder / "home"), {"name": name, "path": str(folder / name)}, frozenset())
    return folder


@pytest.fixture(scope="module")
def card(home: Path) -> Card:
    return libraries(home)


def engine(home: Path, card: Card) -> Encyclopedia:
    wiki = Wiki("wiki", WIKI, serves={QueryType.LIBRARY_DOCS: 0.2, QueryType.GENERAL_SEARCH: 0.3})
    settings = {"cache.enabled": False, "history.enabled": False}
    return Encyclopedia(home=str(home / "home"), sources=[wiki, card], settings=settings, environ=off())


@pytest.mark.spec("ENC-FIRST-1")
@pytest.mark.parametrize(("text", "source", "title"), FIRST)
async def test_the_right_source_has_the_first_result(home: Path, card: Card, text: str, source: str, title: str) -> None:
    async with engine(home, card) as e:
        report = await e.search(text)
    first = report.results[0]
    assert (first.source, title in first.title) == (source, True), [(r.source, r.title) for r in report.results]


@pytest.mark.spec("ENC-FIRST-2")
@pytest.mark.parametrize("text", ["kubernetes pod affinity", "tomato plants watering", "pandas merge on index"])
async def test_a_local_collection_that_does_not_know_says_nothing(home: Path, card: Card, text: str) -> None:
    async with engine(home, card) as e:
        report = await e.search(text)
    assert {result.source for result in report.results} <= {"wiki"}
