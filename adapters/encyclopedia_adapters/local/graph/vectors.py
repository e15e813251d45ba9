"""Vectors of concepts, each made once for what a concept says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.graph.store import several

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.local.graph.values import Concept

_BATCH = 64


def vectors_of(con: sqlite3.Connection, concepts: Sequence[Concept], embedder: Embedder | None) -> dict[str, Any]:
    """The vector of each concept by its id; nothing without an embedder. Those that are not there yet are made and kept."""
    if embedder is None:
        return {}
    import numpy as np

    ids = [concept.id for concept in concepts]
    marks = dict(several(con, "SELECT id, digest FROM concept WHERE id IN (…)", ids))
    sql = "SELECT digest, vector FROM vector WHERE embedder = ? AND digest IN (…)"
    kept = dict(several(con, sql, marks.values(), embedder.fingerprint))
    missing = [concept for concept in concepts if marks[concept.id] not in kept]
    for at in range(0, len(missing), _BATCH):
        part = missing[at : at + _BATCH]
        made = np.asarray(embedder.embed([f"{one.name}. {one.definition}" for one in part]), dtype="<f4")
        for concept, vector in zip(part, made, strict=True):
            kept[marks[concept.id]] = vector.tobytes()
            con.execute(
                "INSERT OR REPLACE INTO vector VALUES(?, ?, ?)", (marks[concept.id], embedder.fingerprint, vector.tobytes())
            )
    return {name: np.frombuffer(kept[mark], dtype="<f4") for name, mark in marks.items()}
