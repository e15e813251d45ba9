"""SQLite's FTS5 over terms that were made beforehand, ranked by its BM25."""

from __future__ import annotations

import json
import os
import sqlite3
import time

from indexing import answered, asked, built, lines

BATCH = 20_000


def main() -> None:
    given = asked()
    path = os.path.join(given["folder"], "fts5.db")

    def build() -> None:
        con = sqlite3.connect(path, isolation_level=None)
        con.execute("PRAGMA journal_mode = WAL")
        con.execute("CREATE VIRTUAL TABLE passages USING fts5(terms, tokenize = 'unicode61', content = '')")
        con.execute("BEGIN")
        for number, terms in enumerate(lines(given["passages"]), 1):
            con.execute("INSERT INTO passages (rowid, terms) VALUES (?, ?)", (number, " ".join(terms)))
            if not number % BATCH:
                con.execute("COMMIT")
                con.execute("BEGIN")
        con.execute("COMMIT")
        con.close()

    if given["step"] == "build":
        print(json.dumps(built(given["folder"], build)))
        return
    questions = list(lines(given["questions"]))
    started = time.perf_counter()
    con = sqlite3.connect(path)

    def search(terms: list[str]) -> list[tuple[int]]:
        any_of = " OR ".join(f'"{term}"' for term in terms)
        return con.execute("SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10", (any_of,)).fetchall()

    if not search(questions[0]):
        raise RuntimeError("it finds nothing")
    opened = (time.perf_counter() - started) * 1000
    print(json.dumps(answered(search, questions, opened)))


if __name__ == "__main__":
    main()
