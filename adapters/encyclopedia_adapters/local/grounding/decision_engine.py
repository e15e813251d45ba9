"""From a query to grounded choices: which table, which rows, which rules; the deciding half of the v1 interface."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.grounding.bm25_search import DEFAULT_MAX_RESULTS, Columns, nothing, select
from encyclopedia_adapters.local.grounding.confidence import Asked, level, weigh
from encyclopedia_adapters.local.grounding.persisted import persist_grounding
from encyclopedia_adapters.local.grounding.rules import evaluate_rules, preferred, rule_for
from encyclopedia_adapters.local.grounding.rules_module import RulesError, run_rules
from encyclopedia_adapters.local.grounding.schema_validator import ManifestError, resolve_data_path
from encyclopedia_adapters.local.grounding.table import Row, TableError, read_table
from encyclopedia_adapters.local.grounding.tables_check import rules_in

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["detect_domain", "evaluate_rules", "ground", "persist_grounding", "search_domain", "search_stack"]

CATEGORY = "General"
WISHES = 2
"""Preferred words of a rule that are added to the query of its domain (v1)."""


def detect_domain(manifest: Mapping[str, Any], query: str) -> str:
    """The domain with the most keywords in the query, as whole words; the first of equals, else the default, else the first."""
    text = query.lower()
    votes = {
        name: sum(_occurs(keyword.lower(), text) for keyword in keywords)
        for name, keywords in (manifest.get("detect") or {}).items()
        if name in manifest["domains"]
    }
    best = max(votes, key=lambda name: votes[name], default="")
    fallback = manifest.get("default_domain") or next(iter(manifest["domains"]))
    return best if votes.get(best) else str(fallback)


def _occurs(keyword: str, text: str) -> bool:
    """Whether a keyword stands in the text; where it begins or ends with a letter, no other letter may touch it."""
    before = r"(?<!\w)" if re.match(r"\w", keyword) else ""
    after = r"(?!\w)" if re.search(r"\w$", keyword) else ""
    return re.search(f"{before}{re.escape(keyword)}{after}", text) is not None


class _Place(NamedTuple):
    """A table of a manifest with what is wanted of it; ``head`` says in the result which one it is."""

    head: dict[str, str]
    file: str
    columns: Columns
    most: int
    filters: Mapping[str, object]


def search_domain(
    manifest: Mapping[str, Any],
    query: str,
    domain: str | None = None,
    max_results: int | None = None,
    filters: Mapping[str, object] | None = None,
    retriever: str | None = None,
) -> dict[str, Any]:
    """Search one domain, by default the one that the query speaks of.

    ``{domain, query, file, count, results, scores, filtered_from, confidence, evidence_gap}``, and ``error`` where the domain
    is unknown or its table cannot be used. Filters are added to those of the domain, one of the same column takes its place.
    """
    name = detect_domain(manifest, query) if domain is None else domain
    config = manifest["domains"].get(name)
    if config is None:
        return _unknown({"domain": name}, query, manifest["domains"])
    place = _Place(
        {"domain": name},
        config["file"],
        Columns(config["search_cols"], config["output_cols"]),
        max_results or config.get("max_results", DEFAULT_MAX_RESULTS),
        {**(config.get("filters") or {}), **(filters or {})},
    )
    return _search(manifest, query, place, retriever)


def search_stack(
    manifest: Mapping[str, Any],
    query: str,
    stack: str,
    max_results: int | None = None,
    filters: Mapping[str, object] | None = None,
    retriever: str | None = None,
) -> dict[str, Any]:
    """Search the table of one stack; as ``search_domain``, with ``stack`` and the domain ``stack``."""
    stacks, head = manifest.get("stacks") or {}, {"domain": "stack", "stack": stack}
    if stack not in stacks:
        return _unknown(head, query, stacks)
    columns = Columns(manifest["stack_cols"]["search_cols"], manifest["stack_cols"]["output_cols"])
    place = _Place(head, stacks[stack], columns, max_results or DEFAULT_MAX_RESULTS, filters or {})
    return _search(manifest, query, place, retriever)


def _unknown(head: dict[str, str], query: str, known: Mapping[str, Any]) -> dict[str, Any]:
    kind, name = list(head.items())[-1]
    error = f"unknown {kind} {name!r}; there are {', '.join(known) or 'none'}"
    return weigh({**head, "query": query, "file": "", **nothing(error)}, Asked(name, query, "bm25", {}))


def _search(manifest: Mapping[str, Any], query: str, place: _Place, retriever: str | None) -> dict[str, Any]:
    """Raises ``ManifestError`` if the table's path leads out of the folder, ``ValueError`` for an unknown retriever."""
    by = retriever or manifest.get("retriever", "bm25")
    absent: list[str] = []
    try:
        table = read_table(resolve_data_path(manifest, place.file))
    except FileNotFoundError:
        found = nothing(f"{place.file} is not there")
    except TableError as error:
        found = nothing(f"{place.file} cannot be used: {error}")
    else:
        wanted = dict.fromkeys((*place.columns.search, *place.columns.output, *place.filters))
        absent = [name for name in wanted if name not in table.columns]
        found = select(table.rows, place.columns, query, place.most, place.filters, by)
    where = list(place.head.values())[-1]
    return weigh({**place.head, "query": query, "file": place.file, **found}, Asked(where, query, by, place.filters), absent)


def ground(manifest: Mapping[str, Any], query: str, context: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Follow the manifest's plan: the category of the query, the rule of the category, the best rows of each planned domain.

    ``{domain, query, category, rule, rules_evaluation {matched, unmatched}, selections {domain: {best, alternatives,
    confidence}}, confidence, evidence_gap}``; the whole is as sure as its weakest domain. Raises ``ManifestError`` if the
    manifest has no reasoning.
    """
    reasoning = manifest.get("reasoning")
    if not reasoning:
        raise ManifestError(f"{manifest.get('domain')} has no reasoning, it can only be searched")
    gaps: list[str] = []
    category = _category(manifest, query, gaps)
    rule = _rule(manifest, category, gaps)
    evaluation = _evaluation(manifest, rule, (query, context or {}), gaps)
    wishes = [wish.strip() for wish in rule.get(reasoning.get("priority_column", ""), "").split("+") if wish.strip()]
    selections: dict[str, dict[str, Any]] = {}
    for name, most in reasoning["plan"].items():
        selections[name], missing = _selection(manifest, query, (name, most), wishes)
        gaps += [gap if gap.startswith("no row of") else f"{name}: {gap}" for gap in missing]
    return {
        "domain": manifest.get("domain"),
        "query": query,
        "category": category,
        "rule": {column: value for column, value in rule.items() if column != reasoning.get("rules_column")},
        "rules_evaluation": evaluation,
        "selections": selections,
        "confidence": level(min((each["confidence"]["score"] for each in selections.values()), default=0.0)),
        "evidence_gap": gaps,
    }


def _category(manifest: Mapping[str, Any], query: str, gaps: list[str]) -> str:
    reasoning, fallback = manifest["reasoning"], str(manifest.get("default_category", CATEGORY))
    domain, column = reasoning.get("category_domain"), reasoning.get("category_column")
    if not domain or not column:
        return fallback
    rows = search_domain(manifest, query, domain, max_results=1)["results"]
    found = rows[0].get(column) if rows else ""
    if not found:
        gaps.append(f"{domain} gave no category for the query: {fallback} was taken")
    return str(found or fallback)


def _rule(manifest: Mapping[str, Any], category: str, gaps: list[str]) -> Row:
    file, column = manifest["reasoning"]["file"], manifest["reasoning"]["match_column"]
    try:
        rows = read_table(resolve_data_path(manifest, file)).rows
    except (FileNotFoundError, TableError) as error:
        told = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be used: {error}"
        gaps.append(f"{file} {told}: no rule was asked")
        return {}
    found = rule_for(rows, column, category)
    if not found.row:
        gaps.append(f"no rule for the category {category}: the choices below follow the words of the query alone")
    elif found.loosely:
        gaps.append(f"the rule of {found.row[column]} was taken for {category}: they share only a word")
    return found.row


def _evaluation(
    manifest: Mapping[str, Any], rule: Row, asked: tuple[str, Mapping[str, Any]], gaps: list[str]
) -> dict[str, Any]:
    reasoning = manifest["reasoning"]
    column = reasoning.get("rules_column", "")
    rules = rules_in(rule.get(column, ""))
    if rules is None:
        gaps.append(f"{column} of the rule holds no JSON object: no decision rule was evaluated")
        rules = {}
    if not reasoning.get("rules_module"):
        return evaluate_rules(rules, *asked)
    try:
        return run_rules(manifest, rules, *asked)
    except RulesError as error:
        gaps.append(f"{error}: no decision rule was evaluated")
        return {"matched": {}, "unmatched": rules}


def _selection(
    manifest: Mapping[str, Any], query: str, planned: tuple[str, int], wishes: list[str]
) -> tuple[dict[str, Any], list[str]]:
    """The best row of a planned domain with its alternatives, and what is missing."""
    reasoning, (name, most) = manifest["reasoning"], planned
    first = name == reasoning.get("priority_domain") and bool(wishes)
    text = " ".join((query, *wishes[:WISHES])) if first else query
    found = search_domain(manifest, text, name, max_results=most)
    rows = found["results"]
    best = rows[0] if rows else {}
    if first:
        column = (reasoning.get("name_columns") or {}).get(name, "")
        best = preferred(rows, wishes, column, manifest["domains"][name]["search_cols"])
    others = [row for row in rows if row is not best]
    return {"best": best, "alternatives": others, "confidence": found["confidence"]}, found["evidence_gap"]
