"""The service in the process of the test, on a loopback port, with what it says held against its own description."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import jsonschema
from aiohttp.test_utils import TestClient, TestServer

from encyclopedia import Encyclopedia, Hit
from encyclopedia.faces.http.app import application
from encyclopedia.faces.http.gate import Gate
from encyclopedia.faces.http.guards import Access
from encyclopedia.faces.http.openapi import description

HITS = [
    Hit(
        "Signing keys",
        "https://example.org/keys",
        "Rotate the signing keys every quarter.",
        published="2026-01-02",
        version="2.1",
    ),
    Hit("Lost keys", "https://example.org/lost", "Revoke a lost key at once; the signing keys too."),
]


@asynccontextmanager
async def site(e: Encyclopedia, access: Access | None = None, gate: Gate | None = None) -> AsyncIterator[TestClient[Any, Any]]:
    """A client of the service around the engine."""
    async with e, TestClient(TestServer(application(e, access, gate))) as client:
        yield client


async def told(response: Any, status: int = 200) -> Any:
    """The JSON of a response with that status."""
    assert response.status == status, (response.status, await response.text())
    assert response.content_type == "application/json"
    return await response.json()


def kept(e: Encyclopedia, path: str, status: int, body: object) -> None:
    """Assert that the description of the service promises this body for the status of an address."""
    document = description(e)
    content = document["paths"][path]["get"]["responses"][str(status)]["content"]
    schema = {**content["application/json"]["schema"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(body)
