"""What stands in for a Qdrant server on loopback: its HTTP form, as its documentation has it, over Qdrant's own engine.

Filters, sparse and dense search, updates are carried out by ``qdrant_edge``, the engine of Qdrant as a package. What the server
adds to it (routes, statuses, errors, defaults) is written here, and whatever we do not use is refused. A real one was never reached.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from tests.loopback import Answer, Loopback
from tests.qdrant_filters import Problem, condition, only

KEY = "open sesame/1"
READ_ONLY = "only look/2"

READS = ("/points", "/points/count", "/points/scroll", "/points/query/batch")


class Server(Loopback):
    """What it holds is in ``folder``, and outlives a stop."""

    def __init__(self, version: str, folder: Path, *, secure: bool = False) -> None:
        super().__init__(version, secure=secure)
        self.shards: dict[str, edge.EdgeShard] = {}
        self.bodies: dict[str, Any] = {}
        self._folder = folder
        self._made = 0

    def secret(self, name: str) -> str:
        return {"QDRANT_KEY": KEY, "QDRANT_WRONG": "something else", "QDRANT_READER": READ_ONLY}.get(name, "")

    def address(self, name: str = "QDRANT_KEY", user: str = "", more: str = "") -> str:
        scheme = "qdrant+https" if self.secure else "qdrant"
        return f"{scheme}://{user}:${{{name}}}@127.0.0.1:{self.port}{more}"

    def points(self, collection: str, **fields: Any) -> list[Any]:
        """The payloads of all points that have these values."""
        must = [edge.FieldCondition(name, match=edge.MatchValue(value)) for name, value in fields.items()]
        found, _ = self.shards[collection].scroll(
            edge.ScrollRequest(limit=100_000, filter=edge.Filter(must=must), with_payload=True, with_vector=False)
        )
        return [point.payload for point in found]

    def set(self, collection: str, payload: dict[str, Any], **fields: Any) -> None:
        """Change points that have these values."""
        must = [edge.FieldCondition(name, match=edge.MatchValue(value)) for name, value in fields.items()]
        self.shards[collection].update(edge.UpdateOperation.set_payload_by_filter(edge.Filter(must=must), payload))

    def _answer(self, method: str, path: str, more: tuple[dict[str, str], bytes, Any]) -> Answer:
        query, body, headers = more
        if (told := self.fault(method, path, body)) is not None:
            return told
        if path != "/" and (refused := self._barred(method, path, headers.get("api-key"))):
            return refused
        try:
            with self._lock:
                self.asked.append((method, path, body))
                return 200, self._routed(method, path, (query, body, headers.get("Content-Type", "")))
        except Problem as problem:
            return problem.status, {"status": {"error": problem.reason}, "time": 0.0}

    def _barred(self, method: str, path: str, key: str | None) -> Answer | None:
        if key is None:
            return 401, b"Must provide an API key or an Authorization bearer token"
        if key not in (KEY, READ_ONLY):
            return 401, b"Invalid API key or JWT"
        if key == READ_ONLY and method != "GET" and not (method == "POST" and path.endswith(READS)):
            return 403, {"status": {"error": "Forbidden: Global write access is required"}, "time": 0.0}
        return None

    def _routed(self, method: str, path: str, more: tuple[dict[str, str], bytes, str]) -> Any:
        query, body, content = more
        if (method, path) == ("GET", "/"):
            return {"title": "qdrant - vector search engine", "version": self.version, "commit": "0" * 40}
        if body and content != "application/json":
            raise Problem(400, "Content type error")
        told = _parsed(body) if body else {}
        if path == "/collections" and method == "GET":
            return _result({"collections": [{"name": name} for name in self.shards]})
        found = re.fullmatch(r"/collections/([^/]+)(/.*)?", path)
        if not found:
            raise Problem(404, "")
        if set(query) - {"wait", "ordering"}:
            raise Problem(400, f"Format error in query string: {sorted(query)}")
        name, verb = found[1], found[2] or ""
        if not verb:
            return _result(self._collection(method, name, told))
        if name not in self.shards:
            raise Problem(404, f"Not found: Collection `{name}` doesn't exist!")
        known = {
            ("PUT", "/index"): self._index,
            ("PUT", "/points"): self._upsert,
            ("POST", "/points"): self._retrieve,
            ("POST", "/points/batch"): self._batch,
            ("POST", "/points/count"): self._count,
            ("POST", "/points/scroll"): self._scroll,
            ("POST", "/points/query/batch"): self._queries,
        }
        if (method, verb) not in known:
            raise Problem(405, "")
        if method == "PUT" or verb == "/points/batch":
            assert query.get("wait") == "true", "nobody waits until it is seen"
        return _result(known[method, verb](self.shards[name], told))

    def _collection(self, method: str, name: str, told: Any) -> Any:
        if method == "DELETE":
            shard = self.shards.pop(name, None)
            if shard is not None:
                shard.close()
            return self.bodies.pop(name, None) is not None
        if method == "PUT":
            return self._create(name, told)
        if method != "GET":
            raise Problem(405, "")
        if name not in self.shards:
            raise Problem(404, f"Not found: Collection `{name}` doesn't exist!")
        count = self.shards[name].info().points_count
        return {"status": "green", "points_count": count, "config": {"params": self.bodies[name]}}

    def _create(self, name: str, told: Any) -> bool:
        only(told, {"vectors", "sparse_vectors"}, "CreateCollection")
        if name in self.shards:
            raise Problem(409, f"Wrong input: Collection `{name}` already exists!")
        if re.search(r'[<>:"/\\|?*\0]', name) or len(name) > 255:
            raise Problem(422, f"Validation error in path parameters: [name: collection name is invalid: {name}]")
        vectors: Any = {}
        if told["vectors"]:
            only(told["vectors"], {"size", "distance"}, "VectorParams")
            vectors = edge.EdgeVectorParams(told["vectors"]["size"], getattr(edge.Distance, told["vectors"]["distance"]))
        sparse = {each: edge.EdgeSparseVectorParams() for each in told.get("sparse_vectors", {})}
        self._made += 1
        config = edge.EdgeConfig(vectors=vectors, sparse_vectors=sparse, max_search_threads=1)
        self.shards[name] = edge.EdgeShard.create(str(self._folder / str(self._made)), config)
        self.bodies[name] = told
        return True

    def _index(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"field_name", "field_schema"}, "CreateFieldIndex")
        schema = dict(told["field_schema"])
        kind = schema.pop("type")
        if kind == "text":
            assert schema.pop("tokenizer") == "whitespace"
            made: Any = edge.TextIndexParams(tokenizer=edge.TokenizerType.Whitespace, **schema)
        else:
            only(schema, set(), "field_schema")
            made = {"keyword": edge.PayloadSchemaType.Keyword}[kind]
        return _carried_out(shard, edge.UpdateOperation.create_field_index(told["field_name"], made))

    def _upsert(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"points", "update_filter"}, "PointsList")
        if not told["points"]:
            raise Problem(400, "Bad request: Empty update request")
        made = []
        for each in told["points"]:
            only(each, {"id", "vector", "payload"}, "PointStruct")
            made.append(edge.Point(each["id"], _vector(each["vector"]), each["payload"]))
        narrow = told.get("update_filter")
        return _carried_out(shard, edge.UpdateOperation.upsert_points(made, condition=condition(narrow) if narrow else None))

    def _batch(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"operations"}, "UpdateOperations")
        return [_carried_out(shard, _operation(each)) for each in told["operations"]]

    def _retrieve(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"ids", "with_payload", "with_vector"}, "PointRequest")
        found = shard.retrieve(told["ids"], with_payload=told["with_payload"], with_vector=told["with_vector"])
        return [{"id": point.id, "payload": point.payload} for point in found]

    def _count(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"filter", "exact"}, "CountRequest")
        return {"count": shard.count(edge.CountRequest(exact=told["exact"], filter=condition(told["filter"])))}

    def _scroll(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"filter", "limit", "with_payload", "with_vector", "offset"}, "ScrollRequest")
        if told["limit"] < 1:
            raise Problem(422, "Validation error in JSON body: [limit: value 0 invalid, must be 1 or larger]")
        asked = edge.ScrollRequest(
            offset=told.get("offset"),
            limit=told["limit"],
            filter=condition(told["filter"]),
            with_payload=told["with_payload"],
            with_vector=told["with_vector"],
        )
        found, after = shard.scroll(asked)
        points = [
            {"id": point.id, "payload": point.payload} | ({"vector": point.vector} if told["with_vector"] else {})
            for point in found
        ]
        return {"points": points, "next_page_offset": after}

    def _queries(self, shard: edge.EdgeShard, told: Any) -> Any:
        only(told, {"searches"}, "QueryRequestBatch")
        return [{"points": _query(shard, each)} for each in told["searches"]]


def _query(shard: edge.EdgeShard, told: Any) -> list[Any]:
    only(told, {"query", "using", "limit", "filter", "with_payload", "params"}, "QueryRequest")
    if told["limit"] < 1:
        raise Problem(422, "Validation error in JSON body: [limit: value 0 invalid, must be 1 or larger]")
    only(told.get("params", {}), {"exact"}, "SearchParams")
    asked = edge.QueryRequest(
        limit=told["limit"],
        query=edge.Query.Nearest(_named(told["query"]), using=told.get("using")),
        filter=condition(told["filter"]),
        with_payload=told["with_payload"],
        params=edge.SearchParams(**told["params"]) if "params" in told else None,
    )
    return [{"id": hit.id, "version": hit.version, "score": hit.score, "payload": hit.payload} for hit in shard.query(asked)]


def _operation(told: Any) -> edge.UpdateOperation:
    ((verb, asked),) = told.items()
    narrow = condition(asked["filter"]) if "filter" in asked else None
    if verb == "delete":
        only(asked, {"filter"}, "FilterSelector")
        return edge.UpdateOperation.delete_points_by_filter(narrow)
    if verb == "delete_payload":
        only(asked, {"filter", "keys"}, "DeletePayload")
        return edge.UpdateOperation.delete_payload_by_filter(narrow, asked["keys"])
    if verb != "set_payload":
        raise Problem(400, f"Format error in JSON body: unknown variant `{verb}`")
    only(asked, {"filter", "points", "payload"}, "SetPayload")
    if narrow is None:
        return edge.UpdateOperation.set_payload(asked["points"], asked["payload"])
    return edge.UpdateOperation.set_payload_by_filter(narrow, asked["payload"])


def _carried_out(shard: edge.EdgeShard, operation: edge.UpdateOperation) -> Any:
    try:
        shard.update(operation)
    except Exception as error:
        raise Problem(400, f"Wrong input: {error}") from None
    return {"operation_id": 0, "status": "completed"}


def _named(told: Any) -> Any:
    return told if isinstance(told, list) else _sparse(told)


def _vector(told: Any) -> Any:
    return told if isinstance(told, list) else {name: _named(each) for name, each in told.items()}


def _sparse(told: Any) -> edge.SparseVector:
    only(told, {"indices", "values"}, "SparseVector")
    if len(set(told["indices"])) != len(told["indices"]):
        raise Problem(422, "Validation error in JSON body: [indices: must be unique]")
    if len(told["indices"]) != len(told["values"]):
        raise Problem(422, "Validation error in JSON body: [values: must be the same length as indices]")
    return edge.SparseVector(told["indices"], told["values"])


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise Problem(400, f"Format error in JSON body: {error}") from None


def _result(told: Any) -> Any:
    return {"result": told, "status": "ok", "time": 0.0}


@contextmanager
def running(version: str = "1.16.3", *, secure: bool = False) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="encyclopedia-qdrant-"))
    server = Server(version, folder, secure=secure)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        for shard in server.shards.values():
            shard.close()
        shutil.rmtree(folder, ignore_errors=True)
