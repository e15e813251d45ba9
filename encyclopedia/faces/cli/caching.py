"""What ``encyclopedia cache`` does to the stores: one place that opens them and says what is wrong with them."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia.wiring.stores import Stores

T = TypeVar("T")
FILE = "semantic_cache.jsonl"


def asked(what: Callable[[Any], T]) -> T:
    """What the stores answer that hold a cache; a store may raise what it likes."""
    stores = _stores()
    try:
        return what(stores)
    except ConfigurationError:
        raise
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        hint = "try again when no other process uses it, or delete the folder `cache`: it can be made anew"
        if isinstance(error, ConnectionError):
            hint = "it is shared: start the server of state_url again, or take state_url away"
        raise ConfigurationError(f"the cache cannot be used: {reason}", hint) from error
    finally:
        stores.close()


def stats() -> dict[str, Any]:
    """Entries for each type, bytes, age of the oldest, and how the near tier stands."""
    return asked(lambda stores: dict(stores.cache.stats()) | {"near": _near(stores)})


def _near(stores: Stores) -> dict[str, object]:
    from encyclopedia.wiring.stores import NEAR

    if stores.near is None:
        return {"questions": 0, "absent": dict(stores.absent).get(NEAR, "switched off")}
    questions, vectors = stores.near.counted()
    return {"questions": questions, "vectors": vectors, "absent": None}


def vote(question: str, other: str, value: int) -> None:
    """Remember what somebody says of two questions."""

    def cast(stores: Stores) -> None:
        from encyclopedia.wiring.stores import NEAR

        if stores.near is None:
            raise ConfigurationError(f"there is no near tier: {dict(stores.absent).get(NEAR, 'the cache is switched off')}", "")
        stores.near.vote(question, other, value)

    asked(cast)


def exported(file: str) -> tuple[int, str]:
    """Write every stored answer as a line, to a file of its owner only; how many, and where (``-`` for stdout)."""

    def write(stores: Stores) -> tuple[int, str]:
        from encyclopedia.engine.cache_lines import LineError, written

        kept = stores.near.kept() if stores.near else {}
        place = file or _place()
        count = 0
        with _writing(place) as out:
            for entry in stores.cache.entries() if stores.cache else ():
                with suppress(LineError):  # what could not be served is not taken elsewhere
                    out.write(written(entry, kept.get(entry.key)) + "\n")
                    count += 1
        return count, place

    return asked(write)


def imported(file: str) -> dict[str, Any]:
    """Store every line that is an answer and not too old; ``{"imported", "expired", "refused", "first_refused"}``."""

    def store(stores: Stores) -> dict[str, Any]:
        from time import time

        from encyclopedia.engine.cache_lines import LineError, read

        done: dict[str, Any] = {"imported": 0, "expired": 0, "refused": 0, "first_refused": None}
        ttl = _settings().cache.ttl
        with _reading(file or _place()) as lines:
            for number, text in enumerate(_lines(lines), 1):
                if not text.strip():
                    continue
                try:
                    line = read(text, time(), ttl)
                except LineError as error:
                    done["refused"] += 1
                    done["first_refused"] = done["first_refused"] or f"line {number}: {error}"
                    continue
                if line is not None:
                    _put(stores, line)
                done["imported" if line else "expired"] += 1
        return done

    return asked(store)


def _lines(file: TextIO) -> Iterator[str]:
    """The lines of a file; of one that is too long only so much that this can be seen."""
    from encyclopedia.engine.cache_lines import LONGEST

    while text := file.readline(LONGEST + 2):
        yield text
        while text and not text.endswith("\n"):
            text = file.readline(LONGEST)


def _put(stores: Stores, line: Any) -> None:
    from encyclopedia.keeping import Kept

    if stores.cache is not None:
        stores.cache.put(line.entry)
        if stores.near is not None and line.scope:
            stores.near.restore(line.entry.key, Kept(line.scope, line.question, "", b""))


@contextmanager
def _writing(place: str) -> Iterator[TextIO]:
    if place == "-":
        yield sys.stdout
        return
    try:
        os.makedirs(os.path.dirname(os.path.abspath(place)), mode=0o700, exist_ok=True)
        descriptor = os.open(f"{place}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            yield out
        os.replace(f"{place}.new", place)
    except OSError as error:
        raise ConfigurationError(f"{place} cannot be written: {error.strerror}", "name another file") from error


@contextmanager
def _reading(place: str) -> Iterator[TextIO]:
    if place == "-":
        yield sys.stdin
        return
    try:
        with open(place, encoding="utf-8", errors="replace") as lines:
            yield lines
    except OSError as error:
        raise ConfigurationError(f"{place} cannot be read: {error.strerror}", "name the file that was exported") from error


def _place() -> str:
    from encyclopedia.wiring import places

    return os.path.join(places.cache(places.home(os.environ)), FILE)


def _stores() -> Stores:
    from encyclopedia.faces.library import Encyclopedia

    stores = Encyclopedia().engine.stores
    if stores.cache is None:
        reason = dict(stores.absent).get("cache", "it is switched off")
        raise ConfigurationError(
            f"there is no cache: {reason}", "`encyclopedia config show` tells whether cache.enabled is set"
        )
    return stores


def _settings() -> Any:
    from encyclopedia.faces.library import Encyclopedia

    return Encyclopedia().engine.loaded.settings
