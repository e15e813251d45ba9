"""What the documents of corpora are called, so that an id that nobody has is found before it lowers a figure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from encyclopedia.model.outcome import Hit

    Names = Callable[[str], Sequence[str]]
    Places = dict[str, list[tuple[str, str]]]

SHOWN = 5
"""Unknown ids that are told with the nearest known names; all of them stand in the JSON form."""
NEAR = 3
ALIKE = 0.5


class Resolved(NamedTuple):
    """What each expected id stands for, by the id: the key of a document or of a part of one.

    ``unknown`` are the ids that no document has, with the nearest names; ``unchecked`` those of which only a result can tell.
    ``parts`` tells whether any id names less than a document.
    """

    keys: Mapping[str, str]
    unknown: Mapping[str, tuple[str, ...]]
    unchecked: tuple[str, ...] = ()
    parts: bool = False


def resolve(ids: Collection[str], corpora: Mapping[str, Names], *, whole: bool) -> Resolved:
    """What every id stands for in corpora, each of which tells the names of its documents, and of the parts of a document.

    Not ``whole``: sources are asked whose documents nobody can list. Raises ``ConfigurationError`` for an id that is the name
    of several documents.
    """
    roster = _Roster(ids, corpora)
    found: dict[str, str] = {}
    left = []
    for id in ids:
        if document := roster.document(id):
            found[id] = ":".join(document)
        elif part := roster.part(id):
            found[id] = part
        else:
            left.append(id)
    parts = roster.anywhere(left) if left else {}
    missing = [id for id in left if id not in parts]
    unchecked = [id for id in missing if "://" in id or not whole]
    lost = [id for id in missing if "://" not in id and whole]
    unknown = {id: roster.nearest(id) if number < SHOWN else () for number, id in enumerate(lost)}
    narrow = (
        bool(parts)
        or any("#" in id for id in unchecked)
        or any(":".join(roster.document(id) or ()) != key for id, key in found.items())
    )
    return Resolved({id: id for id in ids} | found | parts, unknown, tuple(unchecked), narrow)


def complain(unknown: Mapping[str, tuple[str, ...]]) -> ConfigurationError:
    """The error for expected ids that no document has."""
    told = [f"{id!r}{f' (nearest: {near[0]})' if near else ''}" for id, near in list(unknown.items())[:SHOWN]]
    more = f"; and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    return ConfigurationError(
        f"no document has the expected id {'; '.join(told)}{more}",
        "mend the gold set, or index what is missing; with --allow-unknown they count as never found",
        {"unknown": [{"id": id, "nearest": list(near)} for id, near in unknown.items()]},
    )


class _Roster:
    """The documents that wanted ids may mean; of 1 M documents only those are kept in mind."""

    def __init__(self, ids: Iterable[str], corpora: Mapping[str, Names]) -> None:
        self._corpora = corpora
        self._documents = {name: tell("") for name, tell in corpora.items()}
        wanted = {name for id in ids for name in (id, id.rpartition("#")[0]) if name}
        levels: tuple[Places, Places, Places] = ({}, {}, {})
        for corpus, paths in self._documents.items():
            for path in paths:
                for level, names in zip(levels, _names(corpus, path), strict=True):
                    for name in wanted.intersection(names):
                        level.setdefault(name, []).append((corpus, path))
        self._levels = levels

    def document(self, id: str) -> tuple[str, str] | None:
        """The one document of that name: exactly, else without its extension, else as the end of its path without that."""
        for level in self._levels:
            places = level.get(id, ())
            if len(places) > 1:
                told = " or ".join(f"{corpus}:{path}" for corpus, path in places[:NEAR])
                raise ConfigurationError(f"the expected id {id!r} is the name of {len(places)} documents", f"write {told}")
            if places:
                return places[0]
        return None

    def part(self, id: str) -> str:
        """The key of the part ``document#part``, empty if there is none."""
        head, _, part = id.rpartition("#")
        found = self.document(head) if head else None
        if found is None:
            return ""
        corpus, path = found
        name = f"{path}#{part}"
        return f"{corpus}:{name}" if name in self._corpora[corpus](path) else ""

    def anywhere(self, ids: Sequence[str]) -> dict[str, str]:
        """The keys of those that are the name of a part of any document, by id."""
        found, wanted = dict[str, str](), set(ids)
        for corpus, paths in self._documents.items():
            named = {f"{corpus}:{id}": id for id in wanted} | {id: id for id in wanted if id.startswith(f"{corpus}:")}
            for path in paths:
                keys = (f"{corpus}:{part}" for part in self._corpora[corpus](path))
                found |= {named[key]: key for key in keys if key in named}
        return found

    def nearest(self, id: str) -> tuple[str, ...]:
        """The known names that are most like an unknown one."""
        from difflib import get_close_matches

        head, _, _ = id.rpartition("#")
        if head and (found := self.document(head)):
            parts = self._corpora[found[0]](found[1])
            return tuple(get_close_matches(id, parts, NEAR, ALIKE)) or tuple(parts[:NEAR])
        paths = {bare_of(path): path for documents in self._documents.values() for path in documents}
        last = bare_of(id).rpartition("/")[2].lower()
        same = [path for bare, path in paths.items() if bare.rpartition("/")[2].lower() == last]
        return tuple(same[:NEAR]) or tuple(paths[bare] for bare in get_close_matches(bare_of(id), paths, NEAR, ALIKE))


def keys(hit: Hit, corpora: Collection[str]) -> tuple[str, ...]:
    """What a result is called, the narrowest first: one of ``corpora`` as its ids are resolved, any other by its own names."""
    place = hit.locator
    path = place.path if place else ""
    part = f"{path}#{place.section}" if place and place.section else ""
    if place and place.corpus in corpora:
        known = [f"{place.corpus}:{part}"] if part else []
        named = (*known, hit.id, hit.page, f"{place.corpus}:{path}", hit.url)
    else:
        named = (part, hit.id, hit.id.partition(":")[2], path, bare_of(path), hit.url, hit.title)
    return tuple(dict.fromkeys(filter(None, named)))


def bare_of(path: str) -> str:
    """A path without the extension of its last part."""
    return os.path.splitext(path)[0]


def _names(corpus: str, path: str) -> tuple[set[str], set[str], set[str]]:
    """What a document is called: exactly, without its extension, and by the ends of that which begin at a folder's border."""
    bare = bare_of(path)
    folders = bare.split("/")
    ends = {"/".join(folders[number:]) for number in range(1, len(folders))}
    return {path, f"{corpus}:{path}"}, {bare, f"{corpus}:{bare}"}, ends
