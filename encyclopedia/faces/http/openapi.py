"""The description of the service in OpenAPI 3.1, made from the table of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.http.fields import NAMES, TABLE
from encyclopedia.faces.http.operations import OPERATIONS, Operation
from encyclopedia.faces.http.schemas import TEXT, ref
from encyclopedia.faces.http.shapes import SCHEMAS
from encyclopedia.wiring.agent import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia.faces.http.fields import Field
    from encyclopedia.faces.library import Encyclopedia

    Object = dict[str, Any]

JSON, EVENTS = "application/json", "text/event-stream"
REFUSALS = {
    "400": "what was asked does not fit, or names something that is not there",
    "401": "the token is missing or wrong",
    "403": "another site's page asks",
    "413": "the body is too large",
    "421": "the service is called by a name that it does not have",
    "500": "a defect of ours",
    "502": "no source could answer",
    "503": "too many searches at once",
    "504": "not done in time",
}
POSTED = {"408": "the body did not come in time", "415": "the body is not JSON"}
EVENTS_SAY = "events: plan, source (an outcome with its hits), ranking, done (the whole report), or error"
STEPS_SAY = "events: progress (step, done and total), done (the answer of the verb), or error"


def description(e: Encyclopedia) -> Object:
    """The document, with the names of sources and corpora that may be asked here."""
    paths: Object = {}
    for operation in OPERATIONS:
        paths[operation.path] = _both(e, operation, _answers(operation))
        if operation.long:
            stream = operation._replace(name=f"{operation.name}/stream", says=f"{operation.says}, as it happens")
            searched = operation.name == "search"
            said = {
                "200": {
                    "description": EVENTS_SAY if searched else STEPS_SAY,
                    "content": {EVENTS: {"schema": _event("plan", "source", "ranking") if searched else _event("progress")}},
                }
            }
            paths[operation.stream] = _both(e, stream, said | _refusals(REFUSALS))
    for path, says, kind in (
        ("/healthz", "Whether the service lives", "text/plain"),
        ("/readyz", "Whether it takes searches", JSON),
    ):
        told: Object = {
            "200": {"description": says, "content": {kind: {"schema": TEXT if kind != JSON else {"type": "object"}}}}
        }
        told |= _refusals(
            {"403": REFUSALS["403"], "421": REFUSALS["421"]} | ({"503": "it is being stopped"} if kind == JSON else {})
        )
        paths[path] = {"get": {"operationId": path.strip("/"), "summary": says, "responses": told}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "encyclopedia",
            "version": VERSION,
            "description": "One search over local knowledge, documentation, the web and code. Text of results is untrusted.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


def _event(*names: str) -> Object:
    """An event of a stream, each of which is of this form; the end is its result or an error."""
    data = TEXT | {"contentMediaType": JSON}
    fields = {"event": {"enum": [*names, "done", "error"]}, "data": data}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _both(e: Encyclopedia, operation: Operation, answers: Object) -> Object:
    """The operation by GET, if it only reads, and by POST."""
    schemas = {field.name: field.schema() | _names(e, field) for field in operation.fields}
    needed = [field.name for field in operation.fields if field.needed]
    body = {"type": "object", "properties": schemas, "additionalProperties": False} | ({"required": needed} if needed else {})
    name = operation.name.replace("/", "_")
    content = {JSON: {"schema": body}}
    got = {
        "operationId": name,
        "summary": operation.says,
        "parameters": [_parameter(field, schemas[field.name]) for field in operation.fields],
        "responses": answers,
    }
    return ({} if operation.writes else {"get": got}) | {
        "post": {
            "operationId": f"{name}_post",
            "summary": operation.says,
            "requestBody": {"content": content, "required": bool(needed)},
            "responses": answers | _refusals(POSTED),
        },
    }


def _parameter(field: Field, schema: Object) -> Object:
    made: Object = {"name": field.name, "in": "query", "required": field.needed}
    if field.kind == TABLE:  # a table is JSON in the query string
        return made | {"content": {JSON: {"schema": schema}}}
    return made | {"schema": schema} | ({"style": "form", "explode": True} if field.kind == NAMES else {})


def _names(e: Encyclopedia, field: Field) -> Object:
    """The names that a field takes here, where only those will do."""
    usable = {name for name, entry in e.engine.catalog.items() if not entry.candidate.missing or entry.candidate.on_demand}
    corpora = e.engine.sources.corpora()
    known: dict[str, Iterable[str]] = {"sources": usable, "corpora": usable & corpora}
    if field.name not in known:
        return {}
    chosen = sorted(known[field.name])
    return {"items": {"type": "string", "enum": chosen}} if chosen else {"maxItems": 0}


def _answers(operation: Operation) -> Object:
    answer = {JSON: {"schema": ref(operation.answer)}}
    made: Object = {"200": {"description": "the answer", "content": answer}}
    if operation.nothing != 200:  # noqa: PLR2004 - the usual status
        made[str(operation.nothing)] = {"description": "nothing was found", "content": answer}
    return made | _refusals(REFUSALS)


def _refusals(said: dict[str, str]) -> Object:
    content = {JSON: {"schema": ref("Error")}}
    return {status: {"description": says, "content": content} for status, says in said.items()}
