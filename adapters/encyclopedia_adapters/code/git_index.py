"""The text index of one repository: brought to the commit that is at hand, file by file, and searched."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from encyclopedia_adapters.code import git_files
from encyclopedia_adapters.code.cut import PROSE, cut
from encyclopedia_adapters.code.git_program import Stopped
from encyclopedia_adapters.code.words import without_fillers
from encyclopedia_adapters.shared.text_index import IndexBusy, Match, Passage, TextIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from encyclopedia_adapters.code.git_files import File, Tree
    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.shared.text_index import Writer

READER = 2
"""Raised when passages are cut in another way, so that every file is read again."""
OVERVIEW = "/"
"""The document that lists the files; no file has this path."""
BATCH = 1500
"""Files of one commit to the index: what is done stays done when the time is up."""
_LISTED = 150
_DEPTHS = (4, 40)
_NAMED, _PLAIN, _TESTS, _ASIDE = 1.6, 1.1, 0.6, 0.8
_SAID, _BESIDE = 0.7, 0.4
"""What prose counts in a question about code, and for who reads nothing but code."""
_TEST_WORDS = frozenset(("test", "tests", "testing", "spec", "specs", "__tests__", "testdata", "fixtures", "mocks"))
_ASIDE_WORDS = frozenset(
    ("vendor", "third_party", "node_modules", "examples", "example", "benchmarks", "dist", "changelog", "dist-info", "egg-info")
)


class Found(NamedTuple):
    """A passage that answers: where it stands, and its text."""

    path: str
    quoted: str
    section: str
    lines: tuple[int, int] | None
    text: str


class Files(Protocol):
    """Where the files come from."""

    def tree(self, limits: Limits) -> Tree:
        """What there is."""
        ...

    def texts(self, files: Iterable[File], limits: Limits) -> Iterator[tuple[File, str | None]]:
        """Each file with its text, ``None`` if it is not text."""
        ...


class RepositoryIndex:
    """The passages of ``files``, kept in ``folder``."""

    def __init__(self, folder: str, files: Files, name: str) -> None:
        self._files = files
        self._name = name
        self._text = TextIndex(os.path.join(folder, "index"))
        self._outdated: frozenset[str] = frozenset()

    def bring(self, words: str, limits: Limits) -> str:
        """Bring the index to the commit, files first whose paths hold ``words``; why it is less than whole, if it is."""
        tree = self._files.tree(limits)
        stale = self._stale(tree)
        failure = ""
        try:
            if stale or self._gone(tree):
                self._update(tree, _by_use(stale, words), limits)
        except Stopped:
            failure = "give it more time with --timeout, or ask again"
        except IndexBusy:
            failure = "another process is reading them just now"
        except (OSError, ValueError) as error:
            failure = f"the index cannot be written: {error}"
        unread = self._stale(tree) if failure else []
        self._outdated = frozenset(file.path for file in unread) | (self._gone(tree) if failure else set())
        missing = len(unread)
        told = f"{len(tree.files) - missing} of {len(tree.files)} files of {self._name} are read so far: {failure}"
        whole = "" if tree.complete else f"only the first {git_files.MOST} files of {self._name} were looked at"
        return "; ".join(filter(None, (told if missing else "", whole)))

    def find(self, text: str, limit: int, *, overview: bool = False, passages: int = 1) -> list[Found]:
        """The best ``passages`` of each file, best first; with ``overview`` the README and the list of files come before."""
        found: dict[str, Found] = {}
        taken: Counter[str] = Counter()
        if overview:
            papers = (*(path for path in self._text.documents() if _is_readme(path)), OVERVIEW)
            for match in sorted(self._text.search(self._name, limit=50, documents=papers), key=_front):
                _take(match, found, taken, 1)
        text = without_fillers(text)
        words = frozenset(text.lower().replace("(", " ").split())
        prose = 1.0 if overview else _SAID if passages == 1 else _BESIDE
        for depth in _DEPTHS:
            matches = self._text.search(text, limit=limit * depth)
            for match in sorted(matches, key=lambda match: (-_score(match, words, prose), match.id)):
                if match.document not in self._outdated:  # another process has not read it again yet
                    _take(match, found, taken, passages)
            if len(found) >= limit or len(matches) < limit * depth:
                break
        return list(found.values())[:limit]

    def _stale(self, tree: Tree) -> list[File]:
        states = self._text.documents()
        return [file for file in tree.files if states.get(file.path) != _state(file)]

    def _gone(self, tree: Tree) -> set[str]:
        return set(self._text.documents()) - {file.path for file in tree.files} - {OVERVIEW}

    def _update(self, tree: Tree, files: Sequence[File], limits: Limits) -> None:
        for start in range(0, max(len(files), 1), BATCH):
            with self._text.update(wait=0.5) as writer:
                for path in self._gone(tree):
                    writer.remove(path)
                if start == 0:
                    writer.put(OVERVIEW, [self._overview(tree)])
                over = self._read(writer, files[start : start + BATCH], limits)
            if over:
                raise over

    def _read(self, writer: Writer, files: Sequence[File], limits: Limits) -> Stopped | None:
        """Put the files into the index; what was read before the time was up stays there."""
        try:
            for file, text in self._files.texts(files, limits):
                limits.check()
                writer.put(file.path, self._passages(file, text) if text is not None else (), _state(file))
        except Stopped as over:
            return over
        return None

    def _passages(self, file: File, text: str) -> Iterator[Passage]:
        lines = text.split("\n")
        for number, piece in enumerate(cut(file.path, text)):
            yield Passage(
                id=f"{file.path}#{number:05}",
                document=file.path,
                title=" > ".join(filter(None, (file.path, piece.section))),
                body="\n".join(lines[piece.first - 1 : piece.last]).strip("\n"),
                data={
                    "quoted": file.quoted,
                    "section": piece.section,
                    "lines": [piece.first, piece.last],
                    "names": piece.names,
                },
                also=" ".join((*piece.names, self._name if number == 0 and _is_readme(file.path) else "")),
            )

    def _overview(self, tree: Tree) -> Passage:
        """What stands in the repository: all of it if there is little, else the upper folders with their numbers of files."""
        listed = sorted(tree.paths, key=lambda path: (path.count("/"), path))
        if len(listed) > _LISTED:
            counts: dict[str, int] = {}
            for path in listed:
                head = "/".join(path.split("/")[:2]) if path.count("/") > 1 else path.rpartition("/")[0] or path
                counts[head] = counts.get(head, 0) + 1
            listed = [f"{head}/ ({count} files)" if count > 1 else head for head, count in counts.items()][:_LISTED]
        return Passage(OVERVIEW, OVERVIEW, f"{self._name} > files", "\n".join(listed))


def _state(file: File) -> str:
    return f"{READER} {file.oid}"


def _is_readme(path: str) -> bool:
    return "/" not in path and path.lower().partition(".")[0] == "readme"


def _front(match: Match) -> tuple[bool, str]:
    """README before the list of files, each from its beginning."""
    return match.document == OVERVIEW, match.id


def _by_use(files: Sequence[File], words: str) -> list[File]:
    """Files that the question seems to be about first, then what explains, then the rest from the top."""
    wanted = [word for word in words.lower().replace("/", " ").split() if len(word) > 3]  # noqa: PLR2004 - shorter ones are in any path

    def rank(file: File) -> tuple[bool, int, bool, int]:
        path = file.path.lower()
        return not _is_readme(path), -sum(word in path for word in wanted), not path.endswith(PROSE), path.count("/")

    return sorted(files, key=rank)


def _score(match: Match, words: frozenset[str], prose: float) -> float:
    """The score, more for what defines a word of the question, less for tests and what is not the project's own."""
    names = match.data.get("names")
    defined = {str(name) for name in names if str(name).lower() in words} if isinstance(names, list) else set()
    plain = len(words) > 1 and all(name.islower() and name.isalpha() for name in defined)  # the word may be no name at all
    factor = (_PLAIN if plain else _NAMED) if defined else 1.0
    parts = set(match.document.lower().replace(".", "/").replace("_", "/").split("/"))
    if parts & _TEST_WORDS and not words & _TEST_WORDS:
        factor *= _TESTS
    if match.document.lower().endswith(PROSE):
        factor *= prose
    return match.score * (_ASIDE if parts & _ASIDE_WORDS else factor)


def _take(match: Match, found: dict[str, Found], taken: Counter[str], most: int) -> None:
    """Add a passage, unless its file has enough of them, or one of the same name: an overload, the next part of a long one."""
    place = f"{match.document}#{match.data.get('section', '')}"
    if place not in found and taken[match.document] < most:
        taken[match.document] += 1
        found[place] = _found(match)


def _found(match: Match) -> Found:
    data = match.data
    lines = data.get("lines")
    span = (int(lines[0]), int(lines[1])) if isinstance(lines, list) and len(lines) == 2 else None  # noqa: PLR2004 - first and last
    path = "" if match.document == OVERVIEW else match.document
    return Found(path, str(data.get("quoted", "")), str(data.get("section", "")), span, match.body)
