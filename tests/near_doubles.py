"""Stand-ins for the parts of the near tier: an index in a dict, votes in a dict."""

from __future__ import annotations

from encyclopedia.keeping import Kept, NearQuestion
from encyclopedia_adapters.storage.near_index import sound


class Index:
    """Questions and their vectors in memory."""

    def __init__(self):
        self.rows, self.vectors = {}, {}

    def holds(self, group):
        return any(kept.group == group for kept in self.rows.values())

    def pending(self, group, mark, dimension, most):
        waiting = [(key, kept.text) for key, kept in self.rows.items() if kept.group == group and key not in self.vectors]
        return waiting[:most]

    def fill(self, group, mark, found, rows):
        self.vectors |= {key: row for (key, _), row in zip(found, rows, strict=True)}

    def nearest(self, group, mark, vector, most):
        if not sound(vector):
            return []
        held = [(key, row) for key, row in self.vectors.items() if sound(row) and self.rows[key].group == group]
        found = [NearQuestion(key, self.rows[key].text, float(row @ vector)) for key, row in held]
        return sorted(found, key=lambda near: -near.similarity)[:most]

    def add(self, group, key, text):
        self.rows[key] = Kept(group, text, "", b"")

    def all(self):
        return self.rows

    def counted(self):
        return len(self.rows), len(self.vectors)


class Votes(dict):
    """Votes by pair."""

    def of(self, a, b):
        return self.get(frozenset((a, b)), 0)

    def cast(self, a, b, vote):
        self[frozenset((a, b))] = vote
