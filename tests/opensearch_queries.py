"""What the stand-in for OpenSearch finds: the part of its query language that we use, and a refusal for everything else."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from tests.opensearch_index import Index, Problem

WINDOW, CLAUSES, VALUES = 10_000, 1_024, 65_536

BODY = {
    "query",
    "size",
    "sort",
    "search_after",
    "_source",
    "docvalue_fields",
    "track_total_hits",
    "track_scores",
    "seq_no_primary_term",
    "collapse",
    "aggs",
    "post_filter",
}

Scores = dict[str, float]


def only(told: dict[str, Any], known: set[str], where: str) -> None:
    if unknown := set(told) - known:
        raise Problem(400, "parsing_exception", f"[{where}] unknown field {sorted(unknown)}")


def one(told: dict[str, Any], where: str) -> tuple[str, Any]:
    if len(told) != 1:
        raise Problem(400, "parsing_exception", f"[{where}] malformed query, expected one name but found {sorted(told)}")
    return next(iter(told.items()))


def clauses(query: dict[str, Any]) -> int:
    kind, told = one(query, "query")
    if kind == "bool":
        parts = [told.get(name, []) for name in ("must", "filter", "should", "must_not")]
        return sum(clauses(each) for part in parts for each in (part if isinstance(part, list) else [part]))
    return 1


class Searcher:
    """Runs queries over what an index shows since its last refresh."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def run(self, query: dict[str, Any]) -> Scores:
        kind, told = one(query, "query")
        known = {name.removeprefix("_q_"): getattr(self, name) for name in dir(self) if name.startswith("_q_")}
        if kind not in known:
            raise Problem(400, "parsing_exception", f"unknown query [{kind}]")
        found: Scores = known[kind](told)
        return found

    def _q_match_all(self, told: dict[str, Any]) -> Scores:
        only(told, {"boost"}, "match_all")
        return dict.fromkeys(self.index.seen, 1.0)

    def _q_match_none(self, told: dict[str, Any]) -> Scores:
        only(told, set(), "match_none")
        return {}

    def _q_bool(self, told: dict[str, Any]) -> Scores:
        only(told, {"filter", "should", "must_not", "minimum_should_match"}, "bool")
        should = told.get("should", [])
        least = told.get("minimum_should_match", 0 if "filter" in told or not should else 1)
        scores: Scores = dict.fromkeys(self.index.seen, 0.0)
        met: Counter[str] = Counter()
        for each in should:
            for id, score in self.run(each).items():
                met[id] += 1
                scores[id] += score
        chosen = {id for id in scores if met[id] >= least}
        for each in told.get("filter", []):
            chosen &= self.run(each).keys()
        for each in told.get("must_not", []):
            chosen -= self.run(each).keys()
        return {id: scores[id] for id in chosen}

    def _q_term(self, told: dict[str, Any]) -> Scores:
        name, value = one(told, "term")
        boost = 1.0
        if isinstance(value, dict):
            only(value, {"value", "boost", "case_insensitive"}, "term")
            value, boost = value["value"], value.get("boost", 1.0)
        field = self._indexed(name)
        assert boost > 0
        if field["type"] != "text":
            return dict.fromkeys(self.index.by_value[name].get(value, ()), boost)
        found = self.index.postings[name].get(value, {})
        idf = boost * self.index.idf(name, value)
        return {id: self.index.bm25(name, idf, id, count) for id, count in found.items()}

    def _q_terms(self, told: dict[str, Any]) -> Scores:
        name, values = one(told, "terms")
        self._indexed(name)
        if not isinstance(values, list):
            raise Problem(400, "parsing_exception", f"[terms] query does not support [{name}]")
        if len(values) > VALUES:
            raise Problem(400, "illegal_argument_exception", f"The number of terms [{len(values)}] is over the allowed maximum")
        by = self.index.by_value[name]
        return {id: 1.0 for value in set(values) for id in by.get(value, ())}

    def _q_match_phrase(self, told: dict[str, Any]) -> Scores:
        name, asked = one(told, "match_phrase")
        only(asked, {"query", "boost", "slop", "analyzer"}, "match_phrase")
        assert self._indexed(name).get("index_options", "positions") == "positions"
        terms = asked["query"].split()
        held = [self.index.postings[name].get(term, {}).keys() for term in terms]
        idf = asked.get("boost", 1.0) * sum(self.index.idf(name, term) for term in terms)
        found = {}
        for id in set(held[0]).intersection(*held[1:]):
            there = self.index.seen[id].terms[name]
            count = sum(there[at : at + len(terms)] == terms for at in range(len(there)))
            if count:
                found[id] = self.index.bm25(name, idf, id, count)
        return found

    def _q_prefix(self, told: dict[str, Any]) -> Scores:
        name, asked = one(told, "prefix")
        only(asked, {"value", "case_insensitive", "rewrite", "boost"}, "prefix")
        self._indexed(name)
        terms = self.index.postings[name]
        return {id: 1.0 for term in terms if term.startswith(asked["value"]) for id in terms[term]}

    def _q_range(self, told: dict[str, Any]) -> Scores:
        name, asked = one(told, "range")
        only(asked, {"gt", "gte", "lt", "lte"}, "range")
        self._indexed(name)
        tests = {"gt": lambda a, b: a > b, "gte": lambda a, b: a >= b, "lt": lambda a, b: a < b, "lte": lambda a, b: a <= b}
        held = self.index.by_value[name].items()
        return {id: 1.0 for value, ids in held if all(tests[by](value, end) for by, end in asked.items()) for id in ids}

    def _q_knn(self, told: dict[str, Any]) -> Scores:
        name, asked = one(told, "knn")
        only(asked, {"vector", "k", "filter", "boost"}, "knn")
        field = self.index.field(name)
        if not field or field["type"] != "knn_vector":
            raise Problem(400, "illegal_argument_exception", f"Field '{name}' is not knn_vector type.")
        if len(asked["vector"]) != field["dimension"]:
            raise Problem(400, "illegal_argument_exception", "Query vector has invalid dimension")
        if not 0 < asked["k"] <= WINDOW:
            raise Problem(400, "illegal_argument_exception", "[knn] requires k to be in the range (0, 10000]")
        row = np.array(asked["vector"], np.float32)
        among = self.run(asked["filter"]) if "filter" in asked else self.index.seen
        near = {id: float(row @ held[0]) for id in among if (held := self.index.seen[id].values.get(name))}
        best = sorted(near, key=lambda each: -near[each])[: asked["k"]]
        return {id: float(np.float32(near[id] + 1 if near[id] > 0 else 1 / (1 - near[id]))) for id in best}

    def _indexed(self, name: str) -> dict[str, Any]:
        field = self.index.field(name)
        if field is None:
            return {"type": "none"}  # a field that is not there matches nothing
        if not field.get("index", True) or field["type"] in ("binary", "object", "knn_vector"):
            raise Problem(400, "illegal_argument_exception", f"Cannot search on field [{name}] since it is not indexed.")
        return field

    # what is told of the found

    def search(self, body: dict[str, Any]) -> dict[str, Any]:
        only(body, BODY, "search")
        query = body.get("query", {"match_all": {}})
        if clauses(query) > CLAUSES:
            raise Problem(400, "too_many_clauses", "maxClauseCount is set to 1024")
        size = body.get("size", 10)
        if size > WINDOW:
            raise Problem(400, "illegal_argument_exception", "Result window is too large")
        scores = self.run(query)
        shown = set(self.run(body["post_filter"])) & scores.keys() if "post_filter" in body else scores.keys()
        order = body.get("sort", [{"_score": "desc"}])
        ranked = self._after(self._sorted({id: scores[id] for id in shown}, order), order, body)
        hits: dict[str, Any] = {"max_score": None, "hits": [self._hit(*pair, scores, body) for pair in ranked[:size]]}
        if body.get("track_total_hits", True) is not False:
            hits["total"] = {"value": len(shown), "relation": "eq"}
        shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
        found = {"took": 1, "timed_out": False, "_shards": shards, "hits": hits}
        return found | ({"aggregations": self.aggregated(body["aggs"], scores.keys())} if "aggs" in body else {})

    def _sorted(self, scores: Scores, order: list[dict[str, str]]) -> list[tuple[str, list[Any]]]:
        keys = {
            id: [scores[id] if name == "_score" else self._only(id, name) for each in order for name in each] for id in scores
        }
        ranked = list(keys)
        for at in range(len(order) - 1, -1, -1):
            way = one(order[at], "sort")[1]
            assert way in ("asc", "desc")
            ranked.sort(key=lambda each, at=at: _ordered(keys[each][at]), reverse=way == "desc")
        return [(id, keys[id]) for id in ranked]

    def _only(self, id: str, name: str) -> Any:
        self._valued(name)
        values = self.index.seen[id].values.get(name, [])
        return values[0] if values else None

    def _after(
        self, ranked: list[tuple[str, list[Any]]], order: list[Any], body: dict[str, Any]
    ) -> list[tuple[str, list[Any]]]:
        if "collapse" in body:
            only(body["collapse"], {"field"}, "collapse")
            if "search_after" in body:
                raise Problem(400, "illegal_argument_exception", "cannot use `collapse` in conjunction with `search_after`")
            first: dict[Any, tuple[str, list[Any]]] = {}
            for pair in ranked:
                first.setdefault(self._only(pair[0], body["collapse"]["field"]), pair)
            return list(first.values())
        if "search_after" not in body:
            return ranked
        after = body["search_after"]
        assert len(after) == len(order) == 1
        assert one(order[0], "sort")[1] == "asc"
        return [pair for pair in ranked if _ordered(pair[1][0]) > _ordered(after[0])]

    def _hit(self, id: str, keys: list[Any], scores: Scores, body: dict[str, Any]) -> dict[str, Any]:
        seen = self.index.seen[id]
        scored = "sort" not in body or body.get("track_scores")
        hit: dict[str, Any] = {"_index": self.index.name, "_id": id, "_score": scores[id] if scored else None}
        if "sort" in body:
            hit["sort"] = keys
        if body.get("seq_no_primary_term"):
            hit |= {"_seq_no": seen.seq, "_primary_term": 1}
        chosen = body.get("_source", True)
        if chosen is not False:
            hit["_source"] = dict(seen.source) if chosen is True else {f: seen.source[f] for f in chosen if f in seen.source}
        names = [*body.get("docvalue_fields", []), *([body["collapse"]["field"]] if "collapse" in body else [])]
        for name in names:
            self._valued(name)
        if told := {name: seen.values[name] for name in names if seen.values.get(name)}:
            hit["fields"] = told
        return hit

    def _valued(self, name: str) -> None:
        field = self.index.field(name)
        if not field or field["type"] not in ("keyword", "long", "double") or not field.get("doc_values", True):
            raise Problem(400, "illegal_argument_exception", f"Can't load fielddata on [{name}]: it has no doc values")

    # aggregations

    def aggregated(self, aggs: dict[str, Any], ids: Any) -> dict[str, Any]:
        return {name: self._aggregation(dict(told), ids) for name, told in aggs.items()}

    def _aggregation(self, told: dict[str, Any], ids: Any) -> dict[str, Any]:
        below = told.pop("aggs", {})
        kind, asked = one(told, "aggregation")
        if kind == "filter":
            inside = ids & self.run(asked).keys()
            return {"doc_count": len(inside), **self.aggregated(below, inside)}
        if kind in ("sum", "max"):
            only(asked, {"field"}, kind)
            self._valued(asked["field"])
            values = [float(value) for id in ids for value in self.index.seen[id].values.get(asked["field"], [])]
            return {"value": sum(values) if kind == "sum" else max(values, default=None)}
        if kind == "terms":
            return self._terms(asked, ids)
        if kind == "composite":
            return self._composite(asked, below, ids)
        raise Problem(400, "parsing_exception", f"Unknown aggregation type [{kind}]")

    def _terms(self, asked: dict[str, Any], ids: Any) -> dict[str, Any]:
        only(asked, {"field", "size", "include", "execution_hint"}, "terms")
        self._valued(asked["field"])
        counts = Counter(value for id in ids for value in self.index.seen[id].values.get(asked["field"], []))
        if "include" in asked:
            assert len(asked["include"]) <= 1000
            counts = Counter({value: count for value, count in counts.items() if re.fullmatch(asked["include"], value)})
        best = sorted(counts, key=lambda value: (-counts[value], value))[: asked["size"]]
        told = [{"key": value, "doc_count": counts[value]} for value in best]
        rest = counts.total() - sum(each["doc_count"] for each in told)
        return {"doc_count_error_upper_bound": 0, "sum_other_doc_count": rest, "buckets": told}

    def _composite(self, asked: dict[str, Any], below: dict[str, Any], ids: Any) -> dict[str, Any]:
        only(asked, {"size", "sources", "after"}, "composite")
        ((name, source),) = ((name, source["terms"]) for each in asked["sources"] for name, source in each.items())
        only(source, {"field", "order"}, "terms")
        self._valued(source["field"])
        groups: dict[str, set[str]] = {}
        for id in ids:
            for value in self.index.seen[id].values.get(source["field"], []):
                groups.setdefault(value, set()).add(id)
        after = asked.get("after", {}).get(name)
        chosen = [value for value in sorted(groups) if after is None or value > after][: asked["size"]]
        buckets = [
            {"key": {name: each}, "doc_count": len(groups[each]), **self.aggregated(below, groups[each])} for each in chosen
        ]
        return {"buckets": buckets} | ({"after_key": {name: chosen[-1]}} if chosen else {})


def _ordered(value: Any) -> tuple[bool, Any]:
    return (value is None, value.encode() if isinstance(value, str) else value or 0)
