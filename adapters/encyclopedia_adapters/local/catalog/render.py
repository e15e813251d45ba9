"""Writing a dense catalog, version 2, from the pages that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.catalog.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from encyclopedia_adapters.local.catalog.page import Page

MANY = 5000
"""Entities above which the blocks are shortened, so that a catalog still fits what reads it whole."""

_MISSING_PAGES = 10
TIMES = "\N{MULTIPLICATION SIGN}"
_HEAD = (
    "LLM-loadable catalog of all entity pages. Read this to route to relevant entities; load full bodies on demand via "
    "`/kg load <topic>` or direct Read. Substrate is markdown — see SKILL.md §Format Discernment (Category A)."
)


class Caps(NamedTuple):
    """How much of a page stands in its block, and how many hubs at the head."""

    claim: int = 220
    links: int = 5
    tags: int = 4
    sources: int = 2
    aliases: int = 5
    hubs: int = 12


COMPACT = Caps(claim=100, links=3, tags=2, sources=1, aliases=3, hubs=8)


class Graph:
    """Which pages there are and how they lead to one another; of two pages with one slug the later path speaks."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self.pages: dict[str, Page] = {}
        for page in sorted(pages, key=lambda page: page.path):
            if not page.merged:
                self.pages[page.slug] = page
        self.incoming: dict[str, set[str]] = {}
        for slug, page in self.pages.items():
            for target in page.links:
                self.incoming.setdefault(target, set()).add(slug)

    def degree(self, slug: str) -> int:
        """How many pages lead to this one."""
        return len(self.incoming.get(slug, ()))

    def nearest(self, slugs: Iterable[str], most: int) -> tuple[str, ...]:
        """The ``most`` of the slugs to which most pages lead."""
        return tuple(sorted(slugs, key=lambda slug: (-self.degree(slug), slug))[:most])

    def dangling(self) -> dict[str, int]:
        """Slugs that pages lead to and that no page has, with how many lead there; the most wanted first."""
        missing = ((slug, len(sources)) for slug, sources in self.incoming.items() if slug not in self.pages)
        return dict(sorted(missing, key=lambda item: (-item[1], item[0])))

    def folders(self) -> dict[str, list[str]]:
        """The slugs of each folder, hubs first."""
        found: dict[str, list[str]] = {}
        for slug, page in self.pages.items():
            found.setdefault(page.path.partition("/")[0] if "/" in page.path else "_root", []).append(slug)
        return {folder: sorted(slugs, key=lambda slug: (-self.degree(slug), slug)) for folder, slugs in found.items()}

    def entry(self, slug: str, caps: Caps) -> Entry:
        """The page as its block tells it."""
        page = self.pages[slug]
        return Entry(
            slug=slug,
            type=page.type,
            status=page.status,
            score=page.score,
            claim=shortened(page.claim, caps.claim) or "(no claim)",
            out_links=self.nearest(page.links, caps.links),
            in_links=self.nearest(self.incoming.get(slug, ()), caps.links),
            tags=tuple(tag.replace(" ", "-") for tag in page.tags[: caps.tags]),
            sources=page.sources[: caps.sources],
            aliases=tuple(_aliases(page)[: caps.aliases]),
            path=page.path,
        )


def render(graph: Graph, generated: str) -> str:
    """The text of the catalog, the same for the same pages but for ``generated``, the time of writing."""
    compact = len(graph.pages) > MANY
    caps = COMPACT if compact else Caps()
    folders = graph.folders()
    return "\n".join(
        (*_top(graph, generated, compact=compact), *_overview(graph, folders, caps), *_blocks(graph, folders, caps))
    )


def _top(graph: Graph, generated: str, *, compact: bool) -> Iterator[str]:
    edges = sum(len(page.links) for page in graph.pages.values())
    yield "---"
    yield f"generated: {generated}"
    yield "generator: bookkeeping index"
    yield f"schema: dense-catalog-v{'2-compact' if compact else '2'}"
    yield f"compact: {'true' if compact else 'false'}"
    yield f"entity_count: {len(graph.pages)}"
    yield from ("---", "", "# Knowledge Index", "", _HEAD, "")
    yield f"**{len(graph.pages)} entities · {edges} edges · {len(graph.dangling())} dangling**"
    yield ""


def _overview(graph: Graph, folders: Mapping[str, list[str]], caps: Caps) -> Iterator[str]:
    yield from ("## By type", "", "| Type | Count |", "|---|---|")
    for folder in sorted(folders, key=lambda name: -len(folders[name])):
        yield f"| {folder} | {len(folders[folder])} |"
    yield from ("", "## Top hubs (in-degree)", "")
    hubs = sorted(((graph.degree(slug), slug) for slug in graph.pages), reverse=True)[: caps.hubs]
    yield " · ".join(f"`{slug}` ({degree})" for degree, slug in hubs if degree) or "_(no hubs yet)_"
    yield ""
    if missing := graph.dangling():
        yield from ("## Most-referenced missing pages", "")
        yield from (f"- `{slug}` ({count}{TIMES})" for slug, count in list(missing.items())[:_MISSING_PAGES])
        yield ""


def _blocks(graph: Graph, folders: Mapping[str, list[str]], caps: Caps) -> Iterator[str]:
    yield from ("## Entities", "")
    for folder in sorted(folders, key=lambda name: (-len(folders[name]), name)):
        yield f"### {folder} ({len(folders[folder])})"
        yield ""
        for slug in folders[folder]:
            yield block(graph.entry(slug, caps))


def block(entry: Entry) -> str:
    """The four lines of an entity."""
    parts = [
        f"→ {', '.join(entry.out_links)}" if entry.out_links else "",
        f"← {', '.join(entry.in_links)}" if entry.in_links else "",
        " ".join(f"#{tag}" for tag in entry.tags),
        f"aka: {', '.join(entry.aliases)}" if entry.aliases else "",
        f"src: {' | '.join(entry.sources)}" if entry.sources else "",
    ]
    links = " · ".join(filter(None, parts)) or "(no edges, no tags, no sources)"
    score = f" · score {entry.score}" if entry.score else ""
    return f"#### {entry.slug} [{entry.type}·{entry.status}]{score}\n{entry.claim}\n{links}\npath: {entry.path}\n"


def shortened(claim: str, most: int) -> str:
    """At most ``most`` characters, the last of them a mark where something was left out."""
    return claim if len(claim) <= most else f"{claim[: most - 1].rstrip()}…"


def _aliases(page: Page) -> list[str]:
    """Other names that can stand in a block: without its marks, not the slug, each once."""
    once: dict[str, str] = {}
    for alias in map(str.strip, page.aliases):
        if alias and "·" not in alias and "," not in alias and alias.lower() != page.slug.lower():
            once.setdefault(alias.lower(), alias)
    return list(once.values())
