"""Every setting with its default, and who set it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class BreakerSettings(NamedTuple):
    """When a source is left alone: consecutive failures that open, seconds until a probe, longest gate in seconds."""

    fail_max: int = 3
    cooldown: float = 60.0
    max_gate: float = 3600.0


class PatienceSettings(NamedTuple):
    """How long is waited, and for how many at once.

    A source that has answered often is given ``budget`` times its own 95th percentile, at least a second and never more than
    its timeout (0: always its timeout). After ``soft`` seconds (0: never) a search ends as soon as it has enough. ``hedge`` is
    the share of calls (up to 0.05) to local and free sources that may be sent a second time when late. ``searches`` may ask
    at the same time.
    """

    budget: float = 4.0
    soft: float = 0.0
    hedge: float = 0.0
    searches: int = 100


class FusionSettings(NamedTuple):
    """How ranks become scores; ``k`` defaults to 10 for the formula ``scaled`` and to 60 for ``classic``."""

    formula: str = "scaled"
    k: float | None = None
    expansion_weight: float = 0.5

    @property
    def constant(self) -> float:
        """The ``k`` in force."""
        return self.k if self.k is not None else (60.0 if self.formula == "classic" else 10.0)


class CacheSettings(NamedTuple):
    """The answer cache: lifetime in seconds, entries kept for each query type.

    ``threshold`` is the cosine from which on an answer to other words is served, ``threshold_same_words`` that of the same
    words put otherwise; ``guards`` are the names of those that may forbid it, with commas between, or ``all`` or ``none``.
    ``stale`` is how many seconds after its lifetime an answer may be shown while its sources are asked anew, ``negative_ttl``
    how many seconds it is remembered that nothing was found; 0 is never.
    """

    enabled: bool = True
    ttl: float = 3600.0
    entries: int = 500
    threshold: float = 0.92
    threshold_same_words: float = 0.8
    guards: str = "all"
    stale: float = 0.0
    negative_ttl: float = 0.0


class HistorySettings(NamedTuple):
    """The record of searches: on or off, how many are kept, and for how many days (0: for ever)."""

    enabled: bool = True
    entries: int = 2000
    days: float = 365.0


class ProfileSettings(NamedTuple):
    """What sources did is recorded; with ``adaptive`` it moves their weights too."""

    adaptive: bool = False


class SynergySettings(NamedTuple):
    """What other programs are given: ``memories`` of topics that are asked often, ``context`` about a topic on request."""

    memories: bool = True
    context: bool = True


class LlmSettings(NamedTuple):
    """The model that phrases answers: an OpenAI-compatible address and a model's name, seconds for each call.

    ``context`` is how many tokens the model reads at most, ``max_tokens`` how many it may write. ``label`` is the highest label
    of a passage that is sent to it; empty for personal where the address is this machine, internal elsewhere.
    """

    url: str = ""
    model: str = ""
    timeout: float = 30.0
    context: int = 4096
    max_tokens: int = 800
    label: str = ""


class EmbedderSettings(NamedTuple):
    """How texts become vectors: ``use`` is auto, minilm, sentence_transformers or off.

    ``path`` is a folder with the weights of all-MiniLM-L6-v2, ``model`` another model of sentence-transformers by name or
    folder, ``bulk`` (auto, minilm, sentence_transformers) what fills an index, ``hub`` where ``model fetch`` gets the weights.
    """

    use: str = "auto"
    path: str = ""
    model: str = ""
    bulk: str = "auto"
    hub: str = "https://huggingface.co"


class Settings(NamedTuple):
    """All settings; times in seconds.

    ``timeout`` bounds each source, ``deadline`` the whole query, ``depth`` is the least number of hits asked of each source,
    ``max_query`` the number of characters kept of a query, ``widen_weight`` the factor on the general sources of a
    widened plan, ``contact`` an address that public services are told in our User-Agent. ``state_url`` is the Redis or Valkey
    server whose state replicas share (empty: this machine keeps its own). ``sources`` and ``corpora`` hold one
    table for each name.
    """

    limit: int = 5
    timeout: float = 5.0
    deadline: float = 10.0
    depth: int = 10
    max_query: int = 4000
    widen_weight: float = 0.5
    log_level: str = "warning"
    contact: str = ""
    state_url: str = ""
    breaker: BreakerSettings = BreakerSettings()
    patience: PatienceSettings = PatienceSettings()
    fusion: FusionSettings = FusionSettings()
    cache: CacheSettings = CacheSettings()
    history: HistorySettings = HistorySettings()
    profile: ProfileSettings = ProfileSettings()
    synergy: SynergySettings = SynergySettings()
    embedder: EmbedderSettings = EmbedderSettings()
    llm: LlmSettings = LlmSettings()
    sources: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    corpora: Mapping[str, Mapping[str, object]] = MappingProxyType({})

    def __repr__(self) -> str:
        """Without values: there are keys among them, and this may come to stand in a log."""
        return f"<Settings with sources {sorted(self.sources)} and corpora {sorted(self.corpora)}>"
