"""The JSON Schemas of what is answered, to the last field; tests hold every answer against them."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
WHOLE: Schema = {"type": "integer"}
MAYBE_WHOLE: Schema = {"type": ["integer", "null"]}
NUMBER: Schema = {"type": "number"}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
FLAG: Schema = {"type": "boolean"}
OPEN: Schema = {"type": "object", "additionalProperties": True}
VERSION: Schema = {"const": 1}


def many(item: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": item}


def table(value: Schema) -> Schema:
    """An object whose names nobody knows before, with such values."""
    return {"type": "object", "additionalProperties": value}


def ref(name: str) -> Schema:
    """A schema of this module by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def made(needed: Schema, also: Schema | None = None) -> Schema:
    """An object that has the first fields, may have the others, and has no more."""
    return {
        "type": "object",
        "properties": needed | (also or {}),
        "required": list(needed),
        "additionalProperties": False,
    }


TEXTS, LINES = many(TEXT), {"type": ["array", "null"], "items": WHOLE, "minItems": 2, "maxItems": 2}
HEAD: Schema = {"schema_version": VERSION, "status": {"enum": ["success", "error"]}}
FAILED: Schema = {"code": WHOLE, "message": TEXT, "hint": TEXT}
WITHHELD: Schema = {"withheld": WHOLE}
LOST: Schema = {"degraded": FLAG, "degradation": ref("Degradation")}

PARTS: dict[str, Schema] = {
    "Error": {
        "type": "object",
        "properties": {"schema_version": VERSION, "status": {"const": "error"}, **FAILED},
        "required": ["schema_version", "status", "code", "message"],
        "additionalProperties": True,
        "description": "code: 1 configuration, 3 no source could answer, 4 a defect of ours, 64 a request that does not fit",
    },
    "Share": made(
        {"source": TEXT, "rank": WHOLE, "weight": NUMBER, "score": NUMBER},
        {"expansion": {"const": True}, "weak": {"const": True}},
    ),
    "Locator": made({"corpus": TEXT, "path": TEXT, "section": MAYBE_TEXT, "lines": LINES}, {"page": WHOLE}),
    "Result": made(
        {
            "rank": WHOLE,
            "title": TEXT,
            "url": MAYBE_TEXT,
            "content": TEXT,
            "source": TEXT,
            "score": NUMBER,
            "fused_from": many(ref("Share")),
            "locator": {"anyOf": [ref("Locator"), {"type": "null"}]},
            "published": MAYBE_TEXT,
            "version": MAYBE_TEXT,
        },
        {"label": {"enum": ["internal", "personal", "secret"]}},
    ),
    "Outcome": made(
        {
            "source": TEXT,
            "status": {
                "enum": "ok empty timeout rate_limited auth quota unavailable error refused cancelled skipped".split(),  # noqa: SIM905 - a list of words
            },
            "results": WHOLE,
            "ms": WHOLE,
            "reason": TEXT,
            "optional": FLAG,
        }
    ),
    "Degradation": made(
        {
            "missing": many(made({"source": TEXT, "reason": TEXT, "optional": FLAG}, {"hint": TEXT})),
            "errors": many(made({"source": TEXT, "message": TEXT, "optional": FLAG})),
        }
    ),
    "Analysis": made(
        {
            "raw_query": TEXT,
            "text": TEXT,
            "classified_type": TEXT,
            "rule": TEXT,
            "library": MAYBE_TEXT,
            "repository": MAYBE_TEXT,
            "corrections": TEXTS,
            "expansions": many(TEXTS),
            "adapted": table(TEXT),
        }
    ),
    "Stages": many(made({"name": TEXT, "ms": NUMBER, "absent": MAYBE_TEXT})),
    "Verbose": made(
        {
            "query_analysis": ref("Analysis"),
            "source_routing": made({"target_sources": TEXTS, "health_filtered": TEXTS, "fallback_used": FLAG, "widened": FLAG}),
            "fusion": made(
                {
                    "formula": TEXT,
                    "k": NUMBER,
                    "weights": table(NUMBER),
                    "per_source_results": table(WHOLE),
                    "dropped_duplicates": many(made({"source": TEXT, "title": TEXT, "kept": TEXT, "reason": TEXT})),
                }
            ),
            "cache": made(
                {
                    "status": {"enum": ["hit", "miss", "bypass", "off"]},
                    "matched_query": MAYBE_TEXT,
                    "similarity": MAYBE_NUMBER,
                    "age": MAYBE_NUMBER,
                    "refused_by": MAYBE_TEXT,
                },
                {"reason": TEXT},
            ),
            "profiler": made({"adaptive_enabled": FLAG, "adjustments": OPEN}),
            "waiting": made({"deadline": NUMBER, "soft_deadline": MAYBE_NUMBER, "sources": table(OPEN), "hedged": TEXTS}),
            "stages": ref("Stages"),
        },
        {"explain": many(made({"name": TEXT, "before": {}, "after": {}, "absent": MAYBE_TEXT}))},
    ),
    "Report": made(
        HEAD
        | {
            "query": TEXT,
            "query_type": TEXT,
            "results": many(ref("Result")),
            "sources_used": TEXTS,
            "outcomes": many(ref("Outcome")),
            **LOST,
            "cached": FLAG,
            "corrections": TEXTS,
            "evidence_gap": TEXTS,
        },
        FAILED | WITHHELD | {"notes": TEXTS, "verbose": ref("Verbose")},
    ),
    "Plan": made(
        {
            "schema_version": VERSION,
            "status": {"const": "dry_run"},
            "query": TEXT,
            "query_type": TEXT,
            "query_analysis": ref("Analysis"),
            "target_sources": TEXTS,
            "source_health": table(TEXT),
            "cache_status": TEXT,
            "plan": made(
                {
                    "deadline": NUMBER,
                    "sources": many(
                        made({"source": TEXT, "text": TEXT, "weight": NUMBER, "timeout": NUMBER, "limit": WHOLE, "role": TEXT})
                    ),
                    "declined": many(made({"source": TEXT, "reason": TEXT, "optional": FLAG, "refused": FLAG})),
                    "fallback_used": FLAG,
                    "widened": FLAG,
                }
            ),
            "notes": TEXTS,
            "stages": ref("Stages"),
        }
    ),
    "Sources": many(
        made(
            {
                "source": TEXT,
                "enabled": FLAG,
                "configured": FLAG,
                "needs": TEXTS,
                "serves": table(NUMBER),
                "breaker": TEXT,
                "last_error": MAYBE_TEXT,
                "hint": MAYBE_TEXT,
                "daily_calls": MAYBE_WHOLE,
                "calls_today": MAYBE_WHOLE,
                "reason": MAYBE_TEXT,
                "description": TEXT,
                "state": MAYBE_TEXT,
                "health": MAYBE_TEXT,
            }
        )
    ),
}
