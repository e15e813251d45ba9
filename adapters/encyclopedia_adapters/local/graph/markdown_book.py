"""A book of markdown files as sections, concepts and relations, made without a model."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local import markdown, walk
from encyclopedia_adapters.local.graph import headings, terms
from encyclopedia_adapters.local.graph.linked import Links
from encyclopedia_adapters.local.graph.mentions import Names, key
from encyclopedia_adapters.local.graph.prose import sentences
from encyclopedia_adapters.local.graph.said import LINKED, claims
from encyclopedia_adapters.local.graph.values import Book, Concept, Place, Problem, Record, Relation, Section, free, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.local.chunks import Chunk
    from encyclopedia_adapters.local.graph.shelf import Unit

_DEFINITION = 600
_OFTEN = 2
"""Mentions from which on a section is about a concept."""


class Page(NamedTuple):
    """One file of a book."""

    path: str
    title: str
    aliases: tuple[str, ...]
    lines: list[str]
    chunks: tuple[Chunk, ...]
    chapter: int


@dataclass(slots=True)
class Draft:
    """A concept while the book is being read."""

    id: str
    name: str
    category: str = ""
    definition: str = ""
    aliases: list[str] = field(default_factory=list)
    chapter: int = 0


@dataclass(slots=True)
class Part:
    """A section while the book is being read; ``owner`` is the key of the concept that it is about."""

    id: str
    page: Page
    chunk: Chunk
    chapter: int
    owner: str = ""
    about: list[str] = field(default_factory=list)


def read(unit: Unit) -> Iterator[Record]:
    """The book of the unit; a file that cannot be read is named and costs only itself."""
    pages: list[Page] = []
    for path in sorted(unit.files, key=_natural):
        if path.rpartition("/")[2].lower() == "summary.md":
            continue
        try:
            text = walk.decode(walk.read(unit.root, path))
        except OSError as error:
            yield Problem(path, 0, f"cannot be read: {error.strerror or error}")
            continue
        if text is None:
            yield Problem(path, 0, "not text")
            continue
        text = text.replace("\0", "\ufffd")
        note = markdown.parse(text)
        pages.append(Page(path, note.title, note.aliases, text.split("\n"), note.chunks, len(pages) + 1))
    if pages:
        yield from _Reader(unit, pages).records()


def _natural(path: str) -> tuple[object, ...]:
    """In the order of numbers, what introduces a folder first."""
    folder, _, name = path.rpartition("/")
    opens = name.lower().startswith(("readme", "index", "introduction", "preface"))
    numbers = [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d{1,9})", name.lower())]
    return (folder, not opens, numbers)


class _Reader:
    def __init__(self, unit: Unit, pages: list[Page]) -> None:
        self._pages = pages
        self._single = len(pages) == 1
        stem = unit.name.rpartition(":")[2]
        stem = stem.rpartition(".")[0] if stem.lower().endswith((".md", ".markdown")) else stem
        self._book = slug(stem)
        opening = pages[0].path.rpartition("/")[2].lower().startswith(("readme", "index"))
        self._title = (pages[0].title if self._single or opening else "") or re.sub(
            r"[-_]+", " ", os.path.basename(stem)
        ).title()
        self._drafts: dict[str, Draft] = {}
        self._parts: list[Part] = []
        self._name_section, self._name_concept = free(set()), free(set())

    def records(self) -> Iterator[Record]:
        """Book, concepts, sections, relations."""
        yield Book(self._book, headings.bare(self._title) or self._book)
        for page in self._pages:
            self._read_page(page)
        concepts = [
            Concept(one.id, self._book, one.name, one.category, one.definition, tuple(dict.fromkeys(one.aliases)), one.chapter)
            for one in self._drafts.values()
        ]
        yield from concepts
        names = Names(concepts)
        links = Links(self._pages, {part.id: self._drafts[part.owner].id for part in self._parts if part.owner}, self._parts)
        relations = [relation for part in self._parts for relation in self._relations(part, names, links)]
        for part in self._parts:
            where = Place(part.page.path, part.chunk.first, part.chunk.last)
            title = " > ".join(self._headings(part.chunk)) or self._title
            about = tuple(dict.fromkeys(part.about))
            yield Section(part.id, self._book, part.chapter, title, part.chunk.text, about, "", where)
        yield from _strongest(relations)

    def _headings(self, chunk: Chunk) -> tuple[str, ...]:
        """The headings of a chunk below the title of the book."""
        found = tuple(filter(None, map(headings.bare, chunk.headings)))
        return found[1:] if found and headings.bare(self._title) == found[0] else found

    def _read_page(self, page: Page) -> None:
        chapters: dict[str, int] = {}
        for chunk in page.chunks:
            chain = self._headings(chunk)
            top = chain[0] if chain else ""
            chapter = chapters.setdefault(top, len(chapters) + 1) if self._single else page.chapter
            name = slug(" ".join(chain) or page.path.rpartition("/")[2])
            part = Part(self._name_section(f"{self._book}__{name}"), page, chunk, chapter)
            part.owner = self._owner(chain, part)
            self._parts.append(part)
            self._read_terms(part, chain)

    def _owner(self, chain: tuple[str, ...], part: Part) -> str:
        """The key of the concept of the innermost heading that names one; all of them are noted."""
        owner = ""
        for depth, heading in enumerate(chain):
            name, others = headings.concept_name(heading)
            if not name or (depth < len(chain) - 1 and headings.is_group(heading)):
                continue
            above = headings.category(chain[depth - 1]) if depth and not headings.is_generic(chain[depth - 1]) else ""
            owner = self._draft(name, part.chapter, category=above)
            self._drafts[owner].aliases += others
            if not depth and part.page.title == heading:
                self._drafts[owner].aliases += part.page.aliases
        if owner:
            part.about.append(self._drafts[owner].id)
            self._describe(owner, chain, part)
        return owner

    def _describe(self, owner: str, chain: tuple[str, ...], part: Part) -> None:
        draft, last = self._drafts[owner], chain[-1]
        if headings.is_other_names(last):
            draft.aliases += terms.other_names(part.chunk.text)
        own = key(headings.concept_name(last)[0]) == key(draft.name)
        if not draft.definition and (own or headings.is_defining(last)):
            first = next(sentences(part.page.lines, part.chunk.first, part.chunk.last), None)
            draft.definition = " ".join(first.plain.split())[:_DEFINITION] if first else ""
        for sentence in sentences(part.page.lines, part.chunk.first, part.chunk.last):
            if own or headings.is_generic(last):
                draft.aliases += [name for name in terms.also_called(sentence.raw) if key(name) != key(draft.name)]

    def _read_terms(self, part: Part, chain: tuple[str, ...]) -> None:
        glossary = any(map(headings.is_glossary, chain[-1:])) or headings.is_glossary(part.page.title)
        if chain and headings.is_generic(chain[-1]) and not glossary and not headings.is_defining(chain[-1]):
            return
        for term in terms.defined(part.page.lines, part.chunk.first, part.chunk.last, glossary=glossary):
            name, others = headings.concept_name(term.name)
            if name:
                draft = self._drafts[self._draft(name, part.chapter, definition=term.definition)]
                draft.aliases += others
                part.about.append(draft.id)

    def _draft(self, name: str, chapter: int, *, category: str = "", definition: str = "") -> str:
        mark = " ".join(key(name))
        if mark not in self._drafts:
            self._drafts[mark] = Draft(self._name_concept(f"{self._book}__{slug(name)}"), name, chapter=chapter)
        draft = self._drafts[mark]
        draft.category = draft.category or category
        draft.definition = draft.definition or definition
        return mark

    def _relations(self, part: Part, names: Names, links: Links) -> Iterator[Relation]:
        subject = self._drafts[part.owner].id if part.owner else ""
        counts: dict[str, int] = {}
        for sentence in sentences(part.page.lines, part.chunk.first, part.chunk.last):
            where = Place(part.page.path, sentence.first, sentence.last)
            for mention in names.find(sentence.plain):
                counts[mention.concept] = counts.get(mention.concept, 0) + mention.sure
            for claim in claims(sentence, names, subject):
                yield Relation(self._book, *claim, sentence.text, part.id, where)
            for target in links.targets(part.page, sentence.raw) if subject else ():
                if target != subject:
                    yield Relation(self._book, subject, target, "related", LINKED, sentence.text, part.id, where)
        part.about += [concept for concept, count in counts.items() if count >= _OFTEN]


def _strongest(relations: list[Relation]) -> Iterator[Relation]:
    """Each sentence once, and what is only linked where nothing more is said of the two."""
    said = {frozenset((one.start, one.end)) for one in relations if one.confidence > LINKED}
    seen: set[tuple[str, str, str, str]] = set()
    for one in relations:
        mark = (one.start, one.end, one.type, "" if one.type == "related" else one.sentence)
        if mark not in seen and (one.confidence > LINKED or frozenset((one.start, one.end)) not in said):
            seen.add(mark)
            yield one
