"""What a manifest must look like, rule by rule, without looking at any file."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.grounding.bm25_search import RETRIEVERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MANIFEST_VERSION = 1
TIERS = ("lookup-only", "conditional-grounding", "constraint-emission")
"""What a corpus may do, least first; only from the second on it may reason."""

LONGEST = 80
"""Characters of a wrong value that are quoted."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_REQUIRED = ("manifest_version", "domain", "tier", "domains", "owner", "refresh_cadence", "upstream")
_UPSTREAM = ("repo", "sha", "last_checked")
_COLUMNS = ("search_cols", "output_cols")


def violations(data: object) -> Iterator[str]:
    """What breaks the contract, a sentence each."""
    if not isinstance(data, dict):
        yield "the manifest must be a JSON object"
        return
    for key in _REQUIRED:
        if key not in data:
            yield f"{key} is missing"
    domains = data.get("domains")
    names = frozenset(domains) if isinstance(domains, dict) else frozenset[str]()
    yield from _head(data, names)
    yield from _provenance(data)
    yield from _domains(data)
    yield from _detect(data.get("detect"), names)
    yield from _stacks(data)
    yield from _reasoning(data, names)


def _head(data: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    version, tier = data.get("manifest_version", MANIFEST_VERSION), data.get("tier", TIERS[0])
    if version is True or version != MANIFEST_VERSION:
        yield f"manifest_version {_shown(version)} is not known; this is version {MANIFEST_VERSION}"
    if not isinstance(tier, str) or tier not in TIERS:
        yield f"tier {_shown(tier)} is none of {', '.join(TIERS)}"
    yield from _texts(data, ("domain", "default_category"), "")
    retriever = data.get("retriever", "bm25")
    if not isinstance(retriever, str) or retriever not in RETRIEVERS:
        yield f"retriever {_shown(retriever)} is none of {', '.join(RETRIEVERS)}"
    if "default_domain" in data and not _names(data["default_domain"], names):
        yield f"default_domain {_shown(data['default_domain'])} is no domain"
    yield from _path(data, "data_dir", "")


def _provenance(data: Mapping[str, Any]) -> Iterator[str]:
    yield from _texts(data, ("owner", "refresh_cadence"), "")
    upstream = data.get("upstream")
    if not isinstance(upstream, dict):
        if "upstream" in data:
            yield "upstream must be an object with repo, sha and last_checked"
        return
    for key in _UPSTREAM:
        if key not in upstream:
            yield f"upstream.{key} is missing"
    yield from _texts(upstream, _UPSTREAM, "upstream.")
    checked = upstream.get("last_checked")
    if _is_text(checked) and as_date(checked) is None:
        yield f"upstream.last_checked {_shown(checked)} is no date such as 2026-01-31"


def as_date(text: object) -> date | None:
    """A date that is written as ``2026-01-31``; ``None`` for anything else."""
    try:
        return date.fromisoformat(text) if isinstance(text, str) and _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _domains(data: Mapping[str, Any]) -> Iterator[str]:
    domains = data.get("domains")
    if not isinstance(domains, dict) or not domains:
        if "domains" in data:
            yield "domains must be an object with at least one domain"
        return
    for name, config in domains.items():
        where = f"domains.{name}"
        if not isinstance(config, dict):
            yield f"{where} must be an object"
            continue
        yield from _path(config, "file", f"{where}.", needed=True)
        yield from _columns(config, where)
        if "max_results" in config and not _is_number(config["max_results"]):
            yield f"{where}.max_results {_shown(config['max_results'])} is no whole number above 0"
        if not _is_filters(config.get("filters", {})):
            yield f"{where}.filters must be an object of columns with a text or a list of texts"


def _columns(config: Mapping[str, Any], where: str) -> Iterator[str]:
    for key in _COLUMNS:
        if key not in config:
            yield f"{where}.{key} is missing"
        elif not _is_list(config[key]):
            yield f"{where}.{key} must be a list of column names, with at least one"


def _detect(detect: object, names: frozenset[str]) -> Iterator[str]:
    if detect is None:
        return
    if not isinstance(detect, dict):
        yield "detect must be an object of domains with lists of keywords"
        return
    for name, keywords in detect.items():
        if name not in names and name != "_stack":
            yield f"detect.{name} is no domain"
        if not isinstance(keywords, list) or not all(_is_text(word) for word in keywords):
            yield f"detect.{name} must be a list of keywords"


def _stacks(data: Mapping[str, Any]) -> Iterator[str]:
    stacks = data.get("stacks")
    if stacks is None:
        return
    if not isinstance(stacks, dict):
        yield "stacks must be an object of names with files"
        return
    for name in stacks:
        yield from _path(stacks, name, "stacks.")
    columns = data.get("stack_cols")
    if not isinstance(columns, dict):
        yield "stack_cols is missing, with the columns of the stacks"
    else:
        yield from _columns(columns, "stack_cols")


def _reasoning(data: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    reasoning = data.get("reasoning")
    if reasoning is None:
        return
    if data.get("tier") == TIERS[0]:
        yield f"reasoning is there, and the tier is {TIERS[0]}"
    if not isinstance(reasoning, dict):
        yield "reasoning must be an object"
        return
    for key in ("match_column", "plan"):
        if key not in reasoning:
            yield f"reasoning.{key} is missing"
    yield from _path(reasoning, "file", "reasoning.", needed=True)
    yield from _path(reasoning, "rules_module", "reasoning.")
    yield from _texts(reasoning, ("match_column", "rules_column", "priority_column", "category_column"), "reasoning.")
    for key in ("category_domain", "priority_domain"):
        if key in reasoning and not _names(reasoning[key], names):
            yield f"reasoning.{key} {_shown(reasoning[key])} is no domain"
    yield from _by_domain(reasoning, "plan", names, (_is_number, "a whole number above 0"))
    yield from _by_domain(reasoning, "name_columns", names, (_is_text, "the name of a column"))
    yield from _category(data, reasoning)


def _by_domain(
    reasoning: Mapping[str, Any], key: str, names: frozenset[str], fits: tuple[Callable[[object], bool], str]
) -> Iterator[str]:
    table = reasoning.get(key, {})
    if not isinstance(table, dict) or (key == "plan" and key in reasoning and not table):
        yield f"reasoning.{key} must be an object of domains, each with {fits[1]}"
        return
    for name, value in table.items():
        if name not in names:
            yield f"reasoning.{key}.{name} is no domain"
        if not fits[0](value):
            yield f"reasoning.{key}.{name} {_shown(value)} is not {fits[1]}"


def _category(data: Mapping[str, Any], reasoning: Mapping[str, Any]) -> Iterator[str]:
    """The category is read from a row as it is given back."""
    match data, reasoning:
        case {"domains": {**domains}}, {"category_domain": str(domain), "category_column": str(column)}:
            config = domains.get(domain)
            output = config.get("output_cols") if isinstance(config, dict) else None
            if isinstance(output, list) and column not in output:
                yield f"reasoning.category_column {_shown(column)} is no output column of {domain}"


def _path(table: Mapping[str, Any], key: str, where: str, *, needed: bool = False) -> Iterator[str]:
    if key not in table:
        if needed:
            yield f"{where}{key} is missing"
    elif not is_contained(table[key]):
        yield f"{where}{key} {_shown(table[key])} must be a path below the manifest, without .."


def _texts(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> Iterator[str]:
    for key in keys:
        if key in table and not _is_text(table[key]):
            yield f"{where}{key} must be a text that is not empty"


def is_contained(path: object) -> bool:
    """Whether a value is a relative path without ``..``, by the rules of any system."""
    from pathlib import PurePosixPath, PureWindowsPath

    if not isinstance(path, str) or not path.strip() or "\0" in path:
        return False
    kinds = (PurePosixPath(path), PureWindowsPath(path))
    return not any(each.is_absolute() or each.anchor or ".." in each.parts for each in kinds)


def _shown(value: object) -> str:
    """A value as a sentence can quote it."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _names(value: object, names: frozenset[str]) -> bool:
    return isinstance(value, str) and value in names


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_text(each) for each in value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_filters(value: object) -> bool:
    def fits(each: object) -> bool:
        return isinstance(each, str | int | float)

    return isinstance(value, dict) and all(
        fits(each) or (isinstance(each, list) and each and all(map(fits, each))) for each in value.values()
    )
