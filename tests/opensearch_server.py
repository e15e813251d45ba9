"""A stand-in for OpenSearch on loopback. None can be had here: this one knows of its API what we use, and refuses the rest."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.loopback import Answer, Loopback
from tests.opensearch_index import Index, Problem
from tests.opensearch_queries import Searcher, only

USER, PASSWORD = "encyclopedia", "open sesame/1"
READER = "reader"

KNOWN = {
    "_search": {"search_type", "allow_partial_search_results"},
    "_msearch": set(),
    "_bulk": {"refresh", "require_alias"},
    "_mget": {"_source_includes", "realtime"},
    "_refresh": set(),
    "_mapping": set(),
    "": {"ignore_unavailable"},
}
LINE = {"_id", "_index", "if_seq_no", "if_primary_term", "require_alias"}
SETTINGS = {"knn", "similarity", "refresh_interval", "number_of_shards", "number_of_replicas"}


class Server(Loopback):
    """What it holds outlives a stop."""

    def __init__(self, version: str, *, secure: bool = False) -> None:
        super().__init__(version, secure=secure)
        self.indices: dict[str, Index] = {}
        self.aliases: dict[str, str] = {}

    def secret(self, name: str) -> str:
        return {"OS_PASSWORD": PASSWORD, "OS_WRONG": "something else"}.get(name, "")

    def address(self, name: str = "OS_PASSWORD", user: str = USER, more: str = "") -> str:
        scheme = "opensearch+https" if self.secure else "opensearch"
        return f"{scheme}://{user}:${{{name}}}@127.0.0.1:{self.port}{more}"

    def _answer(self, method: str, path: str, more: tuple[dict[str, str], bytes, Any]) -> Answer:
        query, body, headers = more
        user = self._user(headers.get("Authorization", ""))
        if not user:
            return 401, b"Unauthorized"
        if (told := self.fault(method, path, body)) is not None:
            return told
        try:
            with self._lock:
                self.asked.append((method, path, body))
                self._may(user, method, path)
                return 200, self._routed(method, path, (query, body, headers.get("Content-Type", "")))
        except Problem as problem:
            return problem.status, _refused(problem)

    def _user(self, told: str) -> str:
        for user in (USER, READER):
            if told == "Basic " + b64encode(f"{user}:{PASSWORD}".encode()).decode():
                return user
        return ""

    def _may(self, user: str, method: str, path: str) -> None:
        if user == READER and (method in ("PUT", "DELETE") or path.endswith(("/_bulk", "/_refresh"))):
            reason = (
                f"no permissions for [indices:data/write/bulk] and User [name={user}, backend_roles=[], requestedTenant=null]"
            )
            raise Problem(403, "security_exception", reason)

    def _routed(self, method: str, path: str, more: tuple[dict[str, str], bytes, str]) -> Any:
        query, body, content = more
        if (method, path) == ("GET", "/"):
            version = {"distribution": "opensearch", "number": self.version}
            return {"name": "node", "cluster_name": "test", "version": version, "tagline": "The OpenSearch Project"}
        name, _, verb = path.strip("/").partition("/")
        if name.startswith("_"):
            name, verb = "", name
        if verb not in KNOWN:
            raise Problem(405 if verb else 400, "illegal_argument_exception", f"no handler found for uri [{path}]")
        if unknown := set(query) - KNOWN[verb]:
            raise Problem(
                400, "illegal_argument_exception", f"request [{path}] contains unrecognized parameter: {sorted(unknown)}"
            )
        if body and content not in ("application/json", *(("application/x-ndjson",) if verb in ("_bulk", "_msearch") else ())):
            raise Problem(406, "media_type_header_exception", f"Content-Type header [{content}] is not supported")
        known = {
            ("POST", "_search"): self._search,
            ("POST", "_msearch"): self._msearch,
            ("POST", "_bulk"): self._bulk,
            ("POST", "_mget"): self._mget,
            ("POST", "_refresh"): self._refresh,
            ("PUT", "_mapping"): self._put_mapping,
            ("GET", "_mapping"): self._get_mapping,
            ("PUT", ""): self._create,
            ("DELETE", ""): self._delete,
        }
        if (method, verb) not in known:
            raise Problem(405, "illegal_argument_exception", f"Incorrect HTTP method for uri [{path}] and method [{method}]")
        return known[method, verb](name, query, body)

    def index(self, name: str) -> Index:
        found = self.indices.get(self.aliases.get(name, name))
        if found is None:
            raise Problem(404, "index_not_found_exception", f"no such index [{name}]")
        return found

    # indices

    def _create(self, name: str, _query: dict[str, str], body: bytes) -> Any:
        told = _parsed(body)
        only(told, {"settings", "mappings", "aliases"}, "create index")
        only(told["settings"], {"index"}, "settings")
        only(told["settings"]["index"], SETTINGS, "index settings")
        for each in told["settings"]["index"].get("similarity", {}).values():
            only(each, {"type", "k1", "b", "discount_overlaps"}, "similarity")
            assert (each["type"], each["k1"], each["b"]) == ("BM25", 1.2, 0.75), "another formula than ours"
        if not re.fullmatch(r"[^_\-+A-Z][^A-Z\\/*?\"<>| ,#:]{0,254}", name):
            raise Problem(400, "invalid_index_name_exception", f"Invalid index name [{name}]")
        if name in self.indices or name in self.aliases:
            raise Problem(400, "resource_already_exists_exception", f"index [{name}/x] already exists")
        if taken := set(told["aliases"]) & set(self.indices):
            raise Problem(
                400, "invalid_alias_name_exception", f"Invalid alias name {sorted(taken)}: an index exists with the same name"
            )
        legacy = int(self.version.split(".")[0]) < 3
        self.indices[name] = Index(name, told["settings"]["index"], told["mappings"], legacy=legacy)
        self.aliases |= dict.fromkeys(told["aliases"], name)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _delete(self, name: str, query: dict[str, str], _body: bytes) -> Any:
        if name in self.aliases:
            raise Problem(400, "illegal_argument_exception", f"The provided expression [{name}] matches an alias")
        if name not in self.indices and query.get("ignore_unavailable") != "true":
            raise Problem(404, "index_not_found_exception", f"no such index [{name}]")
        self.indices.pop(name, None)
        self.aliases = {alias: index for alias, index in self.aliases.items() if index != name}
        return {"acknowledged": True}

    def _get_mapping(self, name: str, _query: dict[str, str], _body: bytes) -> Any:
        index = self.index(name)
        mapping = {"dynamic": index.dynamic, "properties": index.properties} | ({"_meta": index.meta} if index.meta else {})
        return {index.name: {"mappings": mapping}}

    def _put_mapping(self, name: str, _query: dict[str, str], body: bytes) -> Any:
        told = _parsed(body)
        only(told, {"properties"}, "mapping")
        self.index(name).add_fields(told["properties"])
        return {"acknowledged": True}

    def _refresh(self, name: str, _query: dict[str, str], _body: bytes) -> Any:
        self.index(name).refresh()
        return {"_shards": {"total": 1, "successful": 1, "failed": 0}}

    # documents

    def _search(self, name: str, _query: dict[str, str], body: bytes) -> Any:
        return Searcher(self.index(name)).search(_parsed(body))

    def _msearch(self, _name: str, _query: dict[str, str], body: bytes) -> Any:
        lines = _lines(body, "msearch")
        responses = []
        for head, asked in zip(lines[::2], lines[1::2], strict=True):
            only(head, {"index"}, "msearch")
            try:
                responses.append(Searcher(self.index(head["index"])).search(asked) | {"status": 200})
            except Problem as problem:
                responses.append(_refused(problem))
        return {"took": 1, "responses": responses}

    def _mget(self, name: str, query: dict[str, str], body: bytes) -> Any:
        told = _parsed(body)
        only(told, {"ids"}, "mget")
        if not told["ids"]:
            raise Problem(400, "action_request_validation_exception", "Validation Failed: 1: no documents to get;")
        fields = query["_source_includes"].split(",")
        try:
            index = self.index(name)
        except Problem as problem:
            return {"docs": [{"_index": name, "_id": id, "error": problem.error()} for id in told["ids"]]}
        docs = []
        for id in told["ids"]:
            doc = index.docs.get(id)
            head: dict[str, Any] = {"_index": index.name, "_id": id, "found": doc is not None}
            if doc:
                source = {field: doc.source[field] for field in fields if field in doc.source}
                head |= {"_version": doc.version, "_seq_no": doc.seq, "_primary_term": 1, "_source": source}
            docs.append(head)
        return {"docs": docs}

    def _bulk(self, name: str, query: dict[str, str], body: bytes) -> Any:
        lines = iter(_lines(body, "bulk"))
        items = []
        for head in lines:
            ((verb, told),) = head.items()
            only(told, LINE, "action")
            source = None if verb == "delete" else next(lines)
            items.append({verb: self._item(name, query, (verb, told, source))})
        if query.get("refresh") == "true":
            self.index(name).refresh()
        return {"took": 1, "errors": any("error" in next(iter(item.values())) for item in items), "items": items}

    def _item(self, name: str, query: dict[str, str], action: tuple[str, dict[str, Any], Any]) -> dict[str, Any]:
        verb, told, source = action
        at = (told["if_seq_no"], told["if_primary_term"]) if "if_seq_no" in told else None
        head = {"_index": self.aliases.get(name, name), "_id": told["_id"]}
        try:
            if query.get("require_alias") == "true" and name not in self.aliases:
                reason = f"no such index [{name}] and [require_alias] request flag is [true] and [{name}] is not an alias"
                raise Problem(404, "index_not_found_exception", reason)
            index = self.index(name)
            if verb == "update":
                only(source, {"doc"}, "UpdateRequest")
                result, doc = index.update(told["_id"], source["doc"], at)
            elif verb == "delete":
                result, doc = index.delete(told["_id"], at)
            else:
                assert verb == "index" or (verb == "create" and at is None)
                result, doc = index.write(told["_id"], source, at, create=verb == "create")
        except Problem as problem:
            return head | {"status": problem.status, "error": problem.error()}
        status = {"created": 201, "not_found": 404}.get(result, 200)
        done = {"result": result, "_version": doc.version, "_seq_no": doc.seq, "_primary_term": 1, "status": status}
        return head | done | {"_shards": {"total": 1, "successful": 1, "failed": 0}}


def _refused(problem: Problem) -> dict[str, Any]:
    return {"error": {"root_cause": [problem.error()], **problem.error()}, "status": problem.status}


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Problem(400, "parse_exception", "request body is required, and must be JSON") from None


def _lines(body: bytes, what: str) -> list[Any]:
    if not body.endswith(b"\n"):
        raise Problem(400, "illegal_argument_exception", f"The {what} request must be terminated by a newline [\\n]")
    return [_parsed(line) for line in body.splitlines()]


@contextmanager
def running(version: str = "2.19.3", *, secure: bool = False) -> Iterator[Server]:
    server = Server(version, secure=secure)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def blocked(method: str, path: str, body: bytes) -> Answer | None:
    """A disk is full: what writes is refused, each part of a bulk request for itself."""
    told = {
        "type": "cluster_block_exception",
        "reason": "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has "
        "read-only-allow-delete block];",
    }
    if path.endswith("/_bulk"):
        heads = [line for line in map(json.loads, body.splitlines()) if len(line) == 1 and next(iter(line)) in _VERBS]
        items = [{verb: {"_id": head["_id"], "status": 429, "error": told}} for line in heads for verb, head in line.items()]
        return 200, {"took": 1, "errors": True, "items": items}
    if method == "PUT":
        return 403, {"error": {"root_cause": [told], **told}, "status": 403}
    return None


_VERBS = ("index", "create", "update", "delete")
