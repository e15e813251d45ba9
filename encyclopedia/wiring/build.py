"""The composition root: from settings and plugins to an engine that can be asked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.engine.hedge import Hedge
from encyclopedia.engine.patience import Patience, measured, nothing_known
from encyclopedia.engine.pipeline import Pipeline, Rib
from encyclopedia.engine.room import Room
from encyclopedia.model.errors import InternalError
from encyclopedia.model.label import Label
from encyclopedia.stages.adapt import adapt
from encyclopedia.stages.classify import classify
from encyclopedia.stages.correct import correct
from encyclopedia.stages.expand import expand
from encyclopedia.stages.route import route
from encyclopedia.wiring import places
from encyclopedia.wiring.catalog import Catalog, catalog
from encyclopedia.wiring.embedders import embedder_of
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.requirements import load
from encyclopedia.wiring.resources import Resources
from encyclopedia.wiring.sources import Sources
from encyclopedia.wiring.stores import Stores, open_stores
from encyclopedia.wiring.vocabulary import load as load_vocabulary
from encyclopedia.wiring.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from encyclopedia.engine.pipeline import Watch
    from encyclopedia.keeping import NearTier
    from encyclopedia.model.outcome import Outcomes
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import Question
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.settings import PatienceSettings
    from encyclopedia.wiring.embedders import Embedders
    from encyclopedia.wiring.settings import Loaded


class Engine(NamedTuple):
    """Everything a face needs: the pipeline, the catalog, the stores and the sources in use."""

    loaded: Loaded
    groups: dict[str, dict[str, str]]
    catalog: Catalog
    pipeline: Pipeline
    stores: Stores
    sources: Sources
    embedder: Embedders

    async def aclose(self) -> None:
        """Close every source, everything that they share, and the stores."""
        await self.sources.aclose()
        await self.stores.aclose()


def build(loaded: Loaded, objects: Iterable[object] = (), near: NearTier | None = None) -> Engine:
    """Put an engine together; ``objects`` are sources passed in, ``near`` the semantic tier of the cache.

    Raises ``ConfigurationError`` for settings that do not fit what is installed. Opens no socket and writes nothing.
    """
    groups = entry_points()
    entries = catalog(loaded, groups, objects)
    embedder = embedder_of(loaded, groups)
    stores = open_stores(loaded, groups, near, embedder)
    stores.budget.names = [name for name, entry in entries.items() if entry.daily_calls is not None]
    sources = Sources(entries, loaded, Resources(), stores.budget, embedder)
    return Engine(loaded, groups, entries, _pipeline(loaded, groups, sources, stores), stores, sources, embedder)


def _pipeline(loaded: Loaded, groups: dict[str, dict[str, str]], sources: Sources, stores: Stores) -> Pipeline:
    words = cache(lambda: Words(load_vocabulary(places.data()), groups.get("encyclopedia.libraries", {}), sources))
    fusion, patience = loaded.settings.fusion, Patience(loaded.settings.patience, _latencies(loaded, stores))
    return Pipeline(
        classify=lambda query: classify(
            query,
            libraries=words().library,
            english=words().vocabulary.english,
            stop_words=words().vocabulary.stop_words,
            max_chars=loaded.settings.max_query,
        ),
        refine=(
            Rib(
                "correct",
                lambda question: correct(
                    question, vocabulary=words().vocabulary, known=words().known, libraries=words().library
                ),
            ),
            Rib("expand", lambda question: expand(question, vocabulary=words().vocabulary)),
            Rib("adapt", lambda question: adapt(question, vocabulary=words().vocabulary)),
        ),
        route=lambda question: patience.fit(
            _route(question, loaded=loaded, kinds=groups.get("encyclopedia.corpora", {}), sources=sources, stores=stores),
            sources.free,
        ),
        dispatch=_dispatch(sources, stores, patience, loaded.settings.patience),
        fuse=lambda o: _late("encyclopedia.stages.fuse:fuse", settings=fusion)(o, stop_words=words().vocabulary.stop_words),
        retreat=_late("encyclopedia.stages.priority:priority"),
        polish=(Rib("dedupe", _late("encyclopedia.stages.dedupe:dedupe")),),
        finish=(
            *_withholding(loaded.ceiling),
            Rib(
                "evidence",
                lambda r: _late("encyclopedia.stages.evidence:evidence")(r, stop_words=words().vocabulary.stop_words),
            ),
            Rib("trim", _late("encyclopedia.stages.trim:trim")),
        ),
        answers=stores.answers,
        absent=stores.absent,
        profile=stores.profiler.collect if stores.profiler else None,
    )


def _withholding(ceiling: Label) -> tuple[Rib, ...]:
    """The first rib of what is shown, where not everything may be: unlike other ribs it never fails open."""
    if ceiling is Label.SECRET:
        return ()

    def stage(ranking: Ranking) -> Any:
        try:
            return _late("encyclopedia.stages.withhold:withhold", ceiling=ceiling)(ranking)
        except Exception as error:
            raise InternalError(f"what may be shown cannot be told ({type(error).__name__})") from error

    return (Rib("withhold", stage),)


def _route(question: Question, *, loaded: Loaded, kinds: dict[str, str], sources: Sources, stores: Stores) -> Plan:
    candidates = sources.candidates()
    health = stores.circuit.health([candidate.name for candidate in candidates if candidate.on_demand or not candidate.missing])
    state = repr((loaded.settings.fusion, loaded.settings.widen_weight))
    factors = _factors(question, loaded, stores)
    if factors:
        candidates = _late("encyclopedia.stages.adjust:adjust", factors=factors)(candidates)
    plan = route(question, candidates=candidates, health=health, settings=loaded.settings, state=state)
    if question.query.scope.tags:
        _late("encyclopedia.wiring.tags:check_tags")(question.query.scope, loaded=loaded, kinds=kinds)
    adjusted = None if factors is None else {ask.source: factors[ask.source] for ask in plan.asks if ask.source in factors}
    return plan._replace(cache_key=f"{plan.cache_key}|{sources.revision(plan)}", adjusted=adjusted)


def _factors(question: Question, loaded: Loaded, stores: Stores) -> dict[str, float] | None:
    """What experience makes of the weights for this type of question; ``None`` where it may make nothing of them."""
    if not (loaded.settings.profile.adaptive and stores.profiler):
        return None
    return {source: factor for source, factor in stores.profiler.factors(question.type.value).items() if factor != 1.0}


def _latencies(loaded: Loaded, stores: Stores) -> Callable[[str], Sequence[float]]:
    """What the profile knows of how long sources take, where experience may change anything."""
    profiler = stores.profiler
    if profiler is None or not loaded.settings.profile.adaptive:
        return nothing_known
    return lambda source: measured(profiler.profile(), source)


def _dispatch(sources: Sources, stores: Stores, patience: Patience, settings: PatienceSettings) -> Any:
    room, hedge = Room(settings.searches), Hedge(settings.hedge) if settings.hedge else None

    async def run(plan: Plan, *, watch: Watch) -> Outcomes:
        dispatch = load("encyclopedia.engine.dispatch:dispatch")
        with room.place():
            found: Outcomes = await dispatch(
                plan, sources=sources.ask, guard=stores.circuit, on_outcome=watch.seen, stop=watch.stop, hedge=hedge
            )
        patience.learn(found)
        return found

    return run


def _late(target: str, **bound: object) -> Callable[..., Any]:
    """A stage that is imported when it is first needed: nothing after routing slows a dry run down."""

    def stage(value: object, **more: object) -> Any:
        return load(target)(value, **bound, **more)

    return stage
