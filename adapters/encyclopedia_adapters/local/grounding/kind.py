"""The corpus kind ``grounding`` with its own verbs: search one table, ground a query, validate a manifest."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.local.corpus_kind import LocalKind
from encyclopedia_adapters.local.grounding.rows import GroundingFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.model.corpus import Corpus, CorpusReport, Indexed
    from encyclopedia.ports import Embedder, Progress
    from encyclopedia_adapters.local.grounding.tables_check import Verdict

HINT = "`encyclopedia ground validate` lists all that is wrong with it"


class GroundingKind(LocalKind):
    """Curated tables; ``path`` is a manifest, or a folder with ``manifest.json``. Only ``persist`` writes anything."""

    def __init__(self) -> None:
        super().__init__(GroundingFormat())

    def index(self, corpus: Corpus, progress: Progress, *, rebuild: bool = False, embedder: Embedder | None = None) -> Indexed:
        """As of every kind; what is told besides are rows that do not fit, and code that comes with the tables."""
        from encyclopedia_adapters.local.grounding.tables_check import check_tables

        done = super().index(corpus, progress, rebuild=rebuild, embedder=embedder)
        return done._replace(skipped=(*done.skipped, *_told(check_tables(self._manifest(corpus.path)))))

    def report(self, corpus: Corpus) -> CorpusReport:
        """As of every kind, with the verdicts of the validator, and a refresh that is overdue among the problems."""
        from encyclopedia_adapters.local.grounding.cadence import oddities, overdue
        from encyclopedia_adapters.local.grounding.schema_validator import MANIFEST, ManifestError, load_manifest
        from encyclopedia_adapters.local.grounding.tables_check import check_tables

        found = super().report(corpus)
        try:
            manifest = load_manifest(corpus.path)
        except ManifestError:  # which the report has as a problem already
            return found
        verdict, late = check_tables(manifest), overdue(manifest)
        return found._replace(
            problems=tuple(dict.fromkeys((*found.problems, *verdict.errors, *([late] if late else [])))),
            skipped=(*found.skipped, *_told(verdict), *((MANIFEST, told) for told in oddities(manifest))),
        )

    def search(self, path: str, query: str, **options: Any) -> dict[str, Any]:
        """``search_stack`` if ``stack`` is given, else ``search_domain``, with ``notes`` if the corpus is overdue.

        Takes ``domain``, ``stack``, ``filters``, ``max_results`` and ``retriever``. Raises ``ConfigurationError``.
        """
        from encyclopedia_adapters.local.grounding import decision_engine as engine
        from encyclopedia_adapters.local.grounding.bm25_search import RETRIEVERS

        manifest = self._manifest(path)
        stack, domain, retriever = options.pop("stack", None), options.pop("domain", None), options.get("retriever")
        if retriever and retriever not in RETRIEVERS:
            raise ConfigurationError(f"unknown retriever {retriever!r}", nearest(retriever, RETRIEVERS))
        self._known(manifest, stack, domain)
        with _refusals():
            if stack:
                found = engine.search_stack(manifest, query, stack, **options)
            else:
                found = engine.search_domain(manifest, query, domain, **options)
        if "error" in found:
            raise ConfigurationError(found["error"], HINT)
        return self._noted(manifest, found)

    def ground(self, path: str, query: str, context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The grounded choice of ``decision_engine.ground``, with ``notes`` if the corpus is overdue.

        Runs the manifest's rules module if it names one. Raises ``ConfigurationError``.
        """
        from encyclopedia_adapters.local.grounding import decision_engine as engine

        manifest = self._manifest(path)
        with _refusals():
            return self._noted(manifest, engine.ground(manifest, query, context))

    def persist(self, grounded: Mapping[str, Any], folder: str, **names: str | None) -> dict[str, Any]:
        """Write a grounded choice below ``folder``; takes ``project`` and ``page``. Raises ``ConfigurationError``."""
        from encyclopedia_adapters.local.grounding.persisted import persist_grounding

        try:
            return persist_grounding(grounded, folder, **names)
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or error
            raise ConfigurationError(f"{folder} cannot be written: {told}", "give another folder with --persist") from None

    def validate(self, path: str) -> dict[str, Any]:
        """``{manifest, valid, errors, warnings}`` of a manifest with all its tables.

        Raises ``ConfigurationError`` if there is none or it is no JSON.
        """
        from encyclopedia_adapters.local.grounding import schema_validator as validator

        with _refusals():
            found = validator.read_manifest(path)
        verdict = _verdict(path, found)
        head = {"manifest": validator.manifest_path(path), "valid": not verdict.errors}
        return head | {"errors": list(verdict.errors), "warnings": list(verdict.warnings)}

    def _manifest(self, path: str) -> dict[str, Any]:
        from encyclopedia_adapters.local.grounding.schema_validator import load_manifest

        with _refusals():
            return load_manifest(path)

    def _known(self, manifest: Mapping[str, Any], stack: str | None, domain: str | None) -> None:
        for noun, name, names in (("stack", stack, manifest.get("stacks") or {}), ("domain", domain, manifest["domains"])):
            if name and name not in names:
                raise ConfigurationError(f"unknown {noun} {name!r}", nearest(name, names))

    def _noted(self, manifest: Mapping[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        from encyclopedia_adapters.local.grounding.cadence import overdue

        late = overdue(manifest)
        return found | ({"notes": [late]} if late else {})


def _told(verdict: Verdict) -> list[tuple[str, str]]:
    """The warnings of the validator, each with its file."""
    return [(file, reason) for file, _, reason in (told.partition(", ") for told in verdict.warnings)]


def _verdict(path: str, data: object) -> Verdict:
    import os

    from encyclopedia_adapters.local.grounding import schema_validator as validator
    from encyclopedia_adapters.local.grounding.cadence import oddities, overdue
    from encyclopedia_adapters.local.grounding.tables_check import Verdict, check_tables

    errors = validator.validate_manifest(data)
    if errors or not isinstance(data, dict):
        return Verdict(tuple(errors))
    manifest = data | {validator.FOLDER: os.path.dirname(validator.manifest_path(path))}
    found, late = check_tables(manifest), overdue(manifest)
    return found._replace(warnings=(*found.warnings, *([late] if late else []), *oddities(manifest)))


@contextmanager
def _refusals() -> Iterator[None]:
    """What the contract refuses becomes what a face shows."""
    from encyclopedia_adapters.local.grounding.schema_validator import ManifestError

    try:
        yield
    except ManifestError as error:
        raise ConfigurationError(str(error), HINT) from error
