"""Where the passages of a corpus are: in its folder, or on the engine that its address names."""

from __future__ import annotations

import re
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.ports import Package

if TYPE_CHECKING:
    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.engines.index import EngineIndex
    from encyclopedia_adapters.engines.port import Engine
    from encyclopedia_adapters.engines.writer import EngineWriter
    from encyclopedia_adapters.shared.text_index import TextIndex
    from encyclopedia_adapters.shared.text_index import Writer as FolderWriter

    Index = TextIndex | EngineIndex
    Writer = FolderWriter | EngineWriter

_engines: dict[tuple[str, str], Engine] = {}
_lock = Lock()

_LEFT = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")

POSTGRES = ("postgresql", "postgres")
OPENSEARCH = ("opensearch", "opensearch+https")
QDRANT = ("qdrant", "qdrant+https")
_MODULES = {
    **dict.fromkeys(POSTGRES, "postgres_opening"),
    **dict.fromkeys(OPENSEARCH, "opensearch_opening"),
    **dict.fromkeys(QDRANT, "qdrant_opening"),
}


def requires(address: str) -> tuple[Package, ...]:
    """The libraries without which passages cannot be reached there; an empty address is a folder."""
    if not address:
        return (Package("tantivy"),)
    return (Package("psycopg", "postgres"),) if _scheme(address) in POSTGRES else ()


def check(address: str, where: str) -> None:
    """Raise ``ConfigurationError`` unless the address can be one of an engine, without a password in it."""
    if _scheme(address) not in _MODULES:
        known = " or ".join(f"{scheme}://" for scheme in _MODULES)
        raise ConfigurationError(f"{where} begins with {address.partition(':')[0][:20]!r}", f"an engine is at {known}")
    rest = address.partition("://")[2]
    user, _, password = rest.partition("/")[0].rpartition("@")[0].partition(":")
    if user and _scheme(address) in QDRANT:
        raise ConfigurationError(f"{where} names a user", "Qdrant knows keys alone: write qdrant://:${NAME}@HOST")
    written = [password, *(part.partition("=")[2] for part in rest.partition("?")[2].split("&") if telling(part))]
    if any(value and not _LEFT.fullmatch(value) for value in written):
        raise ConfigurationError(f"{where} holds a password", "write ${NAME} there, and set NAME in the environment")


def telling(option: str) -> bool:
    """Whether an option of an address holds what nobody else may know."""
    return option.partition("=")[0].lower() in {"password", "sslpassword", "api-key", "api_key"}


def _scheme(address: str) -> str:
    scheme, there, _ = address.partition("://")
    return scheme if there else ""


def open_index(corpus: Corpus) -> Index:
    """The index of a corpus; nothing is asked yet. Raises ``AuthRefused`` if its address names what is not set."""
    if not corpus.engine:
        from encyclopedia_adapters.shared.text_index import TextIndex

        return TextIndex(corpus.folder)
    from encyclopedia_adapters.engines.index import EngineIndex

    return EngineIndex(engine_of(corpus))


def engine_of(corpus: Corpus) -> Engine:
    """The engine of a corpus, one for all who ask in this process: its connections are kept to the end."""
    from encyclopedia_adapters.engines.address import filled

    check(corpus.engine, f"corpora.{corpus.name}.engine")
    key = corpus.name, filled(corpus.engine, corpus.secret)
    with _lock:
        if key not in _engines:
            import atexit

            module: Any = import_module(f"encyclopedia_adapters.engines.{_MODULES[_scheme(corpus.engine)]}")
            _engines[key] = module.open_engine(corpus.engine, corpus.secret, corpus.name)
            atexit.register(_engines[key].close)
        return _engines[key]
