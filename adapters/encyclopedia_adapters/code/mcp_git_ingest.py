"""A repository, read with git: its files answer, with their lines, as they stand at the newest commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, Refused
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Key, Package, Program

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.code.git_cache import Clone, Clones
    from encyclopedia_adapters.code.git_index import Files, Found
    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.code.place import Place

CACHE_BYTES = 1_000_000_000
MAX_AGE = 3600.0
FOLDER = "cache/git"
"""Where the clones lie in the data folder; it can be deleted at any time."""
_SHARE = 0.9
TOKENS = {"https://github.com/": "GITHUB_TOKEN", "https://gitlab.com/": "GITLAB_TOKEN"}


class GitIngest:
    """Answers from repositories; ``places`` says where one is, ``clones`` keeps them, ``secret`` reads a credential."""

    def __init__(self, places: Callable[[str], Place], clones: Clones, secret: Callable[[str], str]) -> None:
        self._places = places
        self._clones = clones
        self._secret = secret

    async def search(self, request: Request) -> Reply:
        """The best passage of each file; with type ``repository`` README and list of files first.

        The first question clones, as far as the time allows; ``reduced`` tells what could not be read. Raises ``Refused`` for
        what is no repository that may be read, ``Unavailable`` when its server cannot be reached.
        """
        from encyclopedia_adapters.shared.blocking import in_thread

        return await in_thread(self._answer, request)

    def _answer(self, request: Request, stop: Event) -> Reply:
        import time

        from encyclopedia_adapters.code.git_program import Broken, Limits, Stopped
        from encyclopedia_adapters.code.place import by_hand, is_bare

        limits = Limits(time.monotonic() + _SHARE * request.timeout, stop)
        if request.folder and not is_bare(request.folder):
            return self._read_folder(request, limits)
        place = by_hand(request.folder) if request.folder else self._places(request.repository)
        try:
            return self._read(request, place, limits)
        except Broken:
            self._clones.drop(place)
        except Stopped:
            raise TimeoutError(f"{place.name} could not be read in time") from None
        try:
            return self._read(request, place, limits)
        except (Broken, Stopped) as trouble:
            raise Refused(f"the clone of {place.name} was damaged and could not be made anew: {trouble}") from None

    def _read(self, request: Request, place: Place, limits: Limits) -> Reply:
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.code.git_files import Commit
        from encyclopedia_adapters.code.git_program import Git

        token = next((self._secret(name) for start, name in TOKENS.items() if place.url.startswith(start)), "")
        with self._clones.use(place, limits, token) as clone:
            if clone.commit:
                return self._found(request, place, clone, Commit(Git(clone.folder), clone.path), limits)
            return Reply(note=f"{place.name} is empty", reduced=clone.stale)

    def _read_folder(self, request: Request, limits: Limits) -> Reply:
        """A folder of this machine that was named by hand is read as it lies there, be it under git or not."""
        from encyclopedia_adapters.code.git_cache import Clone
        from encyclopedia_adapters.code.git_program import Stopped
        from encyclopedia_adapters.code.place import by_hand
        from encyclopedia_adapters.code.working_tree import WorkingTree

        place = by_hand(request.folder)
        try:
            with self._clones.beside(place, limits) as folder:
                return self._found(request, place, Clone(folder, "", ""), WorkingTree(request.folder), limits)
        except Stopped:
            raise TimeoutError(f"{place.name} could not be read in time") from None

    def _found(self, request: Request, place: Place, clone: Clone, files: Files, limits: Limits) -> Reply:
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.code.git_index import RepositoryIndex

        index = RepositoryIndex(clone.folder, files, place.name)
        reduced = index.bring(request.text, limits)
        text = "" if request.text == request.repository else request.text
        overview = request.type is QueryType.REPOSITORY or not text
        hits = (
            _hit(found, place, clone) for found in index.find(text, request.limit, overview=overview, passages=request.passages)
        )
        note = _note(place, clone, request.version)
        return Reply(tuple(hit for hit in hits if hit), reduced="; ".join(filter(None, (clone.stale, reduced))), note=note)


def _note(place: Place, clone: Clone, version: str) -> str:
    read = f"read at its newest commit {clone.commit[:12]}" if clone.commit else "read as it lies in its folder"
    if version:
        return f"{read}, not at version {version}"
    return f"{read}; what is not committed is not seen" if clone.commit and place.protocol == "file" else ""


def _hit(found: Found, place: Place, clone: Clone) -> Hit | None:
    from encyclopedia.model.outcome import Hit, Locator
    from encyclopedia_adapters.code.place import blob
    from encyclopedia_adapters.shared.hits import clean_hit
    from encyclopedia_adapters.shared.sanitize import clean_line

    section = clean_line(found.section)
    url = blob(place, clone.commit, found.quoted, found.lines) if found.path else place.web
    return clean_hit(
        Hit(
            title=" > ".join(filter(None, (found.path or f"{place.name} > files", section))),
            url=url,
            content=found.text,
            locator=Locator(place.name, found.path, section, found.lines),
            version=clone.commit[:12],
            page="" if url else f"{place.url} {found.path}",
        )
    )


def _make(context: Context) -> GitIngest:
    from functools import partial

    from encyclopedia_adapters.code.git_cache import Clones
    from encyclopedia_adapters.code.place import place
    from encyclopedia_adapters.shared.private_files import private_folder

    options = context.options
    base, folders = options.get("base_url", ""), options.get("folders", ())
    if not isinstance(base, str) or (base and not base.startswith(("https://", "http://", "file:///"))):
        raise ConfigurationError("[sources.mcp_git_ingest] base_url must begin with https://, http:// or file:///")
    if not isinstance(folders, list | tuple) or not all(isinstance(folder, str) for folder in folders):
        raise ConfigurationError("[sources.mcp_git_ingest] folders must be a list of paths")
    most = _number(options.get("cache_bytes", CACHE_BYTES), "cache_bytes")
    max_age = _number(options.get("max_age", MAX_AGE), "max_age")
    folder = private_folder(f"{context.home}/{FOLDER}")
    places = partial(place, base=base, folders=tuple(folders))
    return GitIngest(places, Clones(folder, int(most), max_age), context.secret)


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise ConfigurationError(f"[sources.mcp_git_ingest] {name} must be a number of 0 or more")
    return float(value)


CARD = Card(
    "mcp_git_ingest",
    serves={QueryType.CODE_CONTEXT: 0.40, QueryType.REPOSITORY: 0.70},
    make=_make,
    description="the files of a repository, read with git",
    timeout=20.0,
    requires=(Package("tantivy"), Program("git")),
    accepts=(Key("GITHUB_TOKEN"), Key("GITLAB_TOKEN")),
    form=Form.RAW,
    repository=True,
    options=("cache_bytes", "max_age", "folders"),
)
