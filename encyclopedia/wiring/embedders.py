"""Which embedder the engine has, if any: made once, on first use; without one a search goes on without vectors."""

from __future__ import annotations

import os
import sys
from _thread import RLock  # what threading.RLock is, without the rest of that module
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.requirements import Absent, lacking, plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.ports import Embedder, EmbedderKind, Progress
    from encyclopedia.wiring.settings import Loaded

GROUP = "encyclopedia.embedders"
OFF, AUTO, OWN, ANY = "off", "auto", "minilm", "sentence_transformers"
ACCELERATORS = ("/dev/nvidiactl", "/dev/kfd")
"""What a system shows that has a processor for matrices which the library behind ``ANY`` can use."""


class Embedders:
    """Gives the engine's embedder, or ``None``; may be called from any thread, and never raises."""

    def __init__(self, loaded: Loaded, found: Mapping[str, str]) -> None:
        self._settings, self._home, self._found = loaded.settings.embedder, loaded.home, found
        self._lock = RLock()
        self._made: dict[tuple[str, bool], Embedder | Absent] = {}

    @property
    def use(self) -> str:
        """The name of what runs the model, or ``off``."""
        if self._settings.use != AUTO:
            return self._settings.use
        return ANY if self._settings.model else OWN

    @property
    def bulk_use(self) -> str:
        """The name of what fills an index: the same, but where another is wanted, or is faster by far."""
        if self.use == OFF or self._settings.bulk != AUTO:
            return OFF if self.use == OFF else self._settings.bulk
        return ANY if _accelerated() and not isinstance(self._kind(ANY), Absent) else self.use

    @property
    def absent(self) -> Absent | None:
        """Why there is no embedder, after trying to open it; ``None`` if there is one."""
        made = self._open(self.use)
        return made if isinstance(made, Absent) else None

    def __call__(self) -> Embedder | None:
        """The embedder for a few texts that somebody waits for."""
        made = self._open(self.use)
        return None if isinstance(made, Absent) else made

    def bulk(self) -> Embedder | None:
        """The embedder for many texts; its vectors go with those of the other."""
        usual = self()
        if usual is None or (use := self.bulk_use) == self.use:
            return usual
        made = self._open(use, bulk=True)
        return usual if isinstance(made, Absent) or made.fingerprint != usual.fingerprint else made

    def about(self) -> Mapping[str, object] | Absent:
        """What would be opened, or why nothing can be; loads no library and writes nothing."""
        kind = self._kind(self.use)
        return kind if isinstance(kind, Absent) else _tried(lambda: kind.about(self._settings, self._home))

    async def fetch(self, agent: str, progress: Progress) -> None:
        """Get the files of the model; ``EmbedderKind.fetch`` says what it may raise, ``ConfigurationError`` besides."""
        kind = self._kind(self.use)
        if isinstance(kind, Absent):
            raise ConfigurationError(kind.reason, kind.hint)
        await kind.fetch(self._settings, self._home, agent, progress)

    def _open(self, use: str, *, bulk: bool = False) -> Embedder | Absent:
        with self._lock:
            if (use, bulk) not in self._made:
                kind = self._kind(use)
                self._made[use, bulk] = (
                    kind if isinstance(kind, Absent) else _tried(lambda: kind.open(self._settings, self._home, bulk=bulk))
                )
            return self._made[use, bulk]

    def _kind(self, use: str) -> EmbedderKind | Absent:
        if use == OFF:
            return Absent("embedder.use is off", "`ENCYCLOPEDIA_EMBEDDER_USE=auto` switches it on")
        if use not in self._found:
            return Absent(f"the embedder {use} is not registered", "pip install --force-reinstall encyclopedia-search")
        kind: EmbedderKind | Absent = plugin(self._found[use])
        return kind if isinstance(kind, Absent) else lacking(kind.requires) or kind


def embedder_of(loaded: Loaded, groups: Mapping[str, Mapping[str, str]]) -> Embedders:
    """What gives the configured embedder; nothing is loaded before it is called."""
    return Embedders(loaded, groups.get(GROUP, {}))


def _tried(what: Any) -> Any:
    """What the call gives, or ``Absent``: an adapter may raise what it likes, and a search goes on."""
    try:
        return what()
    except ConfigurationError as error:
        return Absent(error.message, error.hint)
    except Exception as error:  # noqa: BLE001 - a library that is broken in itself
        told = next(iter(str(error).splitlines()), "")
        return Absent(
            f"the embedder cannot be opened ({type(error).__name__}: {told})", "`encyclopedia model show` tries again"
        )


def _accelerated() -> bool:
    if sys.platform == "darwin":
        return os.uname().machine == "arm64"
    return any(os.path.exists(path) for path in ACCELERATORS)
