"""An index of the stand-in for OpenSearch: documents by id as they are now, and what a search sees of them since a refresh."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter, defaultdict
from typing import Any

import numpy as np

FREE = 24
"""Lengths that Lucene keeps exactly."""

TYPES = {
    "keyword": {"index", "doc_values", "ignore_above", "fields"},
    "text": {"analyzer", "position_increment_gap", "index_options", "fields", "norms"},
    "binary": {"doc_values", "store"},
    "long": {"index", "doc_values"},
    "double": {"index", "doc_values"},
    "object": {"enabled"},
    "knn_vector": {"dimension", "method"},
}


class Problem(Exception):
    """What the server refuses: the status, the kind and the reason."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason

    def error(self) -> dict[str, Any]:
        return {"type": self.kind, "reason": self.reason}


def rounded(length: int) -> int:
    """A length as Lucene's byte keeps it."""
    if length < FREE:
        return length
    rest = length - FREE
    shift = max(rest.bit_length() - 4, 0)
    return FREE + (rest >> shift << shift)


def check_mapping(properties: dict[str, Any]) -> None:
    for name, field in properties.items():
        kind = field.get("type")
        if kind not in TYPES:
            raise Problem(400, "mapper_parsing_exception", f"No handler for type [{kind}] declared on field [{name}]")
        if unknown := set(field) - TYPES[kind] - {"type"}:
            raise Problem(400, "mapper_parsing_exception", f"unknown parameter {sorted(unknown)} on mapper [{name}]")
        if field.get("analyzer", "whitespace") != "whitespace":
            raise Problem(400, "mapper_parsing_exception", f"analyzer [{field['analyzer']}] has not been configured")
        if "position_increment_gap" in field and field.get("index_options", "positions") != "positions":
            reason = f"Cannot set position_increment_gap on field [{name}] without positions enabled"
            raise Problem(400, "mapper_parsing_exception", reason)
        check_mapping(field.get("fields", {}))
        if kind == "knn_vector":
            method = field["method"]
            assert set(method) <= {"name", "engine", "space_type", "parameters"}, method
            assert (method["name"], method["engine"], method["space_type"]) == ("hnsw", "lucene", "innerproduct")
            if not 1 <= field["dimension"] <= 16_000:
                raise Problem(400, "mapper_parsing_exception", f"dimension of [{name}] is out of bounds")


class Doc:
    """A document as it is now."""

    def __init__(self, source: dict[str, Any], seq: int, version: int) -> None:
        self.source, self.seq, self.version = source, seq, version


class Seen:
    """A document as searches see it: its values by field, the terms of its texts."""

    def __init__(self, doc: Doc, values: dict[str, list[Any]], terms: dict[str, list[str]]) -> None:
        self.doc, self.values, self.terms = doc, values, terms
        self.source, self.seq = doc.source, doc.seq


class Index:
    """One index with one shard."""

    def __init__(self, name: str, settings: dict[str, Any], mappings: dict[str, Any], *, legacy: bool) -> None:
        self.name, self.legacy = name, legacy
        self.meta, self.properties = mappings.get("_meta"), dict(mappings["properties"])
        self.knn = bool(settings.get("knn"))
        self.dynamic = mappings["dynamic"]
        assert set(mappings) <= {"dynamic", "_meta", "properties"}
        self.add_fields(self.properties)
        self.docs: dict[str, Doc] = {}
        self.seen: dict[str, Seen] = {}
        self.postings: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
        self.lengths: Counter[str] = Counter()
        self.holding: Counter[str] = Counter()
        self.by_value: dict[str, dict[Any, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._dirty: set[str] = set()
        self._seq = -1

    def add_fields(self, properties: dict[str, Any]) -> None:
        check_mapping(properties)
        for name, field in properties.items():
            if field["type"] == "knn_vector" and not self.knn:
                raise Problem(
                    400, "mapper_parsing_exception", "Cannot set modelId or method parameters when index.knn is false"
                )
            if self.properties.get(name, field) != field:
                raise Problem(400, "illegal_argument_exception", f"Mapper for [{name}] conflicts with existing mapper")
        self.properties |= properties

    def field(self, name: str) -> dict[str, Any] | None:
        """The mapping of a field or of one below it; ``None`` without any."""
        first, _, rest = name.partition(".")
        found = self.properties.get(first)
        return found["fields"].get(rest) if found and rest else found

    # writing

    def write(self, id: str, source: dict[str, Any], at: tuple[int, int] | None, *, create: bool = False) -> tuple[str, Doc]:
        self._check(id, at, create=create)
        self._parse(source)
        before = self.docs.get(id)
        self._seq += 1
        self.docs[id] = Doc(source, self._seq, before.version + 1 if before else 1)
        self._dirty.add(id)
        return "updated" if before else "created", self.docs[id]

    def update(self, id: str, part: dict[str, Any], at: tuple[int, int] | None) -> tuple[str, Doc]:
        if id not in self.docs:
            raise Problem(404, "document_missing_exception", f"[{id}]: document missing")
        before = self.docs[id].source
        return self.write(id, before | part, at) if before | part != before else ("noop", self.docs[id])

    def delete(self, id: str, at: tuple[int, int] | None) -> tuple[str, Doc]:
        self._check(id, at)
        before = self.docs.pop(id, None)
        self._seq += 1
        self._dirty.add(id)
        return "deleted" if before else "not_found", Doc({}, self._seq, before.version + 1 if before else 1)

    def _check(self, id: str, at: tuple[int, int] | None, *, create: bool = False) -> None:
        there = self.docs.get(id)
        if len(id.encode()) > 512:
            raise Problem(400, "illegal_argument_exception", f"id [{id}] is too long, must be no longer than 512 bytes")
        if create and there:
            reason = f"[{id}]: version conflict, document already exists (current version [{there.version}])"
            raise Problem(409, "version_conflict_engine_exception", reason)
        if at and (not there or (there.seq, 1) != at):
            found = f"current document has seqNo [{there.seq}]" if there else "but no document was found"
            reason = f"[{id}]: version conflict, required seqNo [{at[0]}], primary term [{at[1]}]. {found}"
            raise Problem(409, "version_conflict_engine_exception", reason)

    def _parse(self, source: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, list[str]]]:
        """The values of each field, and the terms of texts. Refuses what the mapping does not have or cannot take."""
        values: dict[str, list[Any]] = {}
        terms: dict[str, list[str]] = {}
        for name, told in source.items():
            field = self.properties.get(name)
            if field is None:
                reason = f"mapping set to strict, dynamic introduction of [{name}] within [_doc] is not allowed"
                raise Problem(400, "strict_dynamic_mapping_exception", reason)
            held = told if isinstance(told, list) else [] if told is None else [told]
            values[name] = _values(name, field, held)
            if field["type"] == "text":
                assert name != "text" or field["position_increment_gap"] == 0, "values would not be neighbours"
                terms[name] = [word for value in held for word in value.split()]
                for below, each in field.get("fields", {}).items():
                    values[f"{name}.{below}"] = _values(f"{name}.{below}", each, held)
        return values, terms

    # searching

    def refresh(self) -> None:
        for id in self._dirty:
            if old := self.seen.pop(id, None):
                self._count(id, old, -1)
            if id in self.docs:
                self.seen[id] = Seen(self.docs[id], *self._parse(self.docs[id].source))
                self._count(id, self.seen[id], 1)
        self._dirty.clear()

    def _count(self, id: str, seen: Seen, sign: int) -> None:
        for name, terms in seen.terms.items():
            self.lengths[name] += sign * len(terms)
            self.holding[name] += sign * bool(terms)
            for term, count in Counter(terms).items():
                if sign > 0:
                    self.postings[name][term][id] = count
                else:
                    del self.postings[name][term][id]
                    if not self.postings[name][term]:
                        del self.postings[name][term]
        for name, values in seen.values.items():
            field = self.field(name) or {}
            if field["type"] in ("keyword", "long") and field.get("index", True):
                for value in set(values):
                    (self.by_value[name][value].add if sign > 0 else self.by_value[name][value].discard)(id)

    def bm25(self, name: str, idf: float, id: str, count: int) -> float:
        length = rounded(len(self.seen[id].terms[name]))
        average = self.lengths[name] / self.holding[name]
        return idf * (2.2 if self.legacy else 1.0) * count / (count + 1.2 * (0.25 + 0.75 * length / average))

    def idf(self, name: str, term: str) -> float:
        found = len(self.postings[name].get(term, ()))
        return math.log(1 + (self.holding[name] - found + 0.5) / (found + 0.5))


def _values(name: str, field: dict[str, Any], held: list[Any]) -> list[Any]:
    kind = field["type"]
    if kind == "object":
        assert field["enabled"] is False
        return []
    if kind == "knn_vector":
        if not held:
            return []
        if len(held) != field["dimension"]:
            raise Problem(400, "mapper_parsing_exception", f"Vector dimension mismatch. Expected: {field['dimension']}")
        row = np.array(held, np.float32)
        assert np.isfinite(row).all()
        return [row]
    if kind in ("long", "double"):
        if not all(isinstance(value, int if kind == "long" else (int, float)) for value in held):
            raise Problem(400, "mapper_parsing_exception", f"failed to parse field [{name}] of type [{kind}]")
        if kind == "long" and not all(-(2**63) <= value < 2**63 for value in held):
            raise Problem(400, "mapper_parsing_exception", f"failed to parse field [{name}]: out of range")
        return held
    if not all(isinstance(value, str) for value in held):
        raise Problem(400, "mapper_parsing_exception", f"failed to parse field [{name}] of type [{kind}]")
    if kind == "binary":
        for value in held:
            base64.b64decode(value, validate=True)
        return []
    if any(re.search("[\ud800-\udfff]", value) for value in held):
        raise Problem(400, "mapper_parsing_exception", f"failed to parse field [{name}]: no valid UTF-8")
    if kind == "keyword" and any(len(value.encode()) > 32_766 for value in held):
        raise Problem(400, "illegal_argument_exception", f"Document contains at least one immense term in field=[{name}]")
    return sorted(set(held), key=str.encode) if kind == "keyword" else held
