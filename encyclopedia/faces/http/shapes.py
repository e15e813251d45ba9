"""The JSON Schemas of what the verbs over documentation, code and local collections answer."""

from __future__ import annotations

from encyclopedia.faces.http.schemas import (
    FAILED,
    FLAG,
    HEAD,
    LINES,
    LOST,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    OPEN,
    PARTS,
    TEXT,
    TEXTS,
    WHOLE,
    WITHHELD,
    Schema,
    made,
    many,
    ref,
    table,
)

_RELATED: Schema = many(OPEN)
_SURE: Schema = made({"label": TEXT, "score": NUMBER})
_ROW: Schema = table(TEXT)
_WHERE: Schema = {"title": TEXT, "url": MAYBE_TEXT, "version": MAYBE_TEXT}

VERBS: dict[str, Schema] = {
    "Lookup": made(
        HEAD
        | {
            "topic": TEXT,
            "version": MAYBE_TEXT,
            "content": TEXT,
            "source": MAYBE_TEXT,
            "versions": TEXTS,
            "corrections": TEXTS,
            "passages": many(made(_WHERE | {"locator": {"anyOf": [ref("Locator"), {"type": "null"}]}})),
            "outcomes": many(ref("Outcome")),
            **LOST,
        },
        FAILED | WITHHELD,
    ),
    "Code": made(
        HEAD
        | {
            "repository": TEXT,
            "question": TEXT,
            "depth": {"enum": ["shallow", "deep"]},
            "analysis": TEXT,
            "files": many(
                made(
                    {
                        "path": TEXT,
                        "lines": LINES,
                        "title": TEXT,
                        "section": MAYBE_TEXT,
                        "content": TEXT,
                        "url": MAYBE_TEXT,
                        "score": NUMBER,
                        "sources": TEXTS,
                    },
                    dict.fromkeys(("callers", "callees", "importers", "subclasses"), _RELATED),
                )
            ),
            "commit": MAYBE_TEXT,
            "outcomes": many(ref("Outcome")),
            **LOST,
            "notes": TEXTS,
        },
        FAILED,
    ),
    "Answer": made(
        HEAD
        | {
            "question": TEXT,
            "answer": TEXT,
            "grounded": FLAG,
            "citations": many(
                made(
                    {
                        "n": WHOLE,
                        "source": TEXT,
                        "title": TEXT,
                        "places": many(made({"section_id": TEXT}, {"lines": LINES, "page": WHOLE})),
                    },
                    {"path": TEXT, "url": TEXT, "label": TEXT},
                )
            ),
            "structural_insights": TEXTS,
            "divergence": many(many(WHOLE)),
            "confidence": TEXT,
            "gaps": TEXTS,
            "provenance": made({"sources": TEXTS, "consultation_id": TEXT}),
            **LOST,
        },
        FAILED | WITHHELD | {"notes": TEXTS, "verbose": made({"facets": many(OPEN), "critic": {"type": ["object", "null"]}})},
    ),
    "Load": made(
        HEAD | {"corpus": TEXT, "catalog": TEXT, "catalog_generated": MAYBE_TEXT, "entities": WHOLE},
        FAILED
        | {
            "topic": TEXT,
            "scoring": TEXT,
            "terms": TEXTS,
            "matches": many(OPEN),
            "context": made({"bytes": WHOLE, "tokens": WHOLE}),
            "stale": TEXTS,
            "notes": TEXTS,
            "schema": MAYBE_TEXT,
            "types": table(WHOLE),
            "hubs": many(made({"slug": TEXT, "in_degree": WHOLE})),
            "dangling": many(made({"slug": TEXT, "in_degree": WHOLE})),
        },
    ),
    "Ground": made(
        HEAD | {"query": TEXT, "domain": MAYBE_TEXT, "confidence": _SURE, "evidence_gap": TEXTS},
        FAILED
        | {
            "category": MAYBE_TEXT,
            "rule": table(TEXT),
            "rules_evaluation": made({"matched": OPEN, "unmatched": OPEN}),
            "selections": table(made({"best": _ROW, "alternatives": many(_ROW), "confidence": _SURE})),
            "stack": TEXT,
            "file": TEXT,
            "count": WHOLE,
            "results": many(_ROW),
            "scores": many(MAYBE_NUMBER),
            "filtered_from": WHOLE,
            "error": TEXT,
            "notes": TEXTS,
        },
    ),
    "Feedback": made(
        HEAD
        | {"id": TEXT, "query": TEXT, "result": {"type": ["integer", "null"]}, "vote": {"enum": [1, -1]}}
        | {"sources": TEXTS, "matched_query": MAYBE_TEXT},
    ),
    "Graph": {
        "type": "object",
        "properties": HEAD | FAILED,
        "required": list(HEAD),
        "additionalProperties": True,
        "description": "the fields of the verb: books, matched_concepts, nodes and edges, passages, projects",
    },
}
SCHEMAS: dict[str, Schema] = PARTS | VERBS
