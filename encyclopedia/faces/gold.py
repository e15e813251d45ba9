"""Questions with known answers, read from the files in which people keep them; whatever is wrong is named by its line."""

from __future__ import annotations

import json
import os
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SHOWN = 5
"""Problems told in the sentence; all of them stand in the JSON form."""
LINES = (".jsonl", ".ndjson", ".json")
TABLES = {".csv": ",", ".tsv": "\t"}
FORMS = (
    "JSON lines with `query` and `expected`, CSV or TSV with such columns, or a BEIR folder with queries.jsonl and qrels.tsv"
)
QRELS = ("qrels.tsv", "qrels/test.tsv")


class Asked(NamedTuple):
    """A question, what it is known by in its file, and the grade of each id that was judged; above 0 it is relevant."""

    id: str
    query: str
    relevant: Mapping[str, float]

    @property
    def expected(self) -> list[str]:
        """The ids that should be found, the best grade first."""
        return sorted((id for id, grade in self.relevant.items() if grade > 0), key=lambda each: -self.relevant[each])


class Gold(NamedTuple):
    """A set of questions: the name of its file, a digest of its content, and how many have nothing to be found (left out)."""

    name: str
    digest: str
    asked: tuple[Asked, ...]
    left_out: int = 0


class _Found:
    """What was read so far, and what is wrong with it."""

    def __init__(self) -> None:
        self.queries: dict[str, str] = {}
        self.relevant: dict[str, dict[str, float]] = {}
        self.problems: list[dict[str, object]] = []
        self._lines: dict[str, int] = {}

    def wrong(self, file: str, line: int, reason: str) -> None:
        self.problems.append({"file": os.path.basename(file), "line": line, "reason": reason})

    def query(self, place: tuple[str, int], id: object, text: object) -> str:
        """Take a question; the id that it has from now on, empty if it was not taken."""
        name = _id(id) if id is not None else text
        if not isinstance(text, str) or not text.strip():
            self.wrong(*place, "the query is empty")
        elif not isinstance(name, str) or not name:
            self.wrong(*place, "the id of the query is no text")
        elif name in self.queries:
            self.wrong(*place, f"the same query as line {self._lines[name]}")
        else:
            self.queries[name], self._lines[name] = text, place[1]
            return name
        return ""

    def judge(self, place: tuple[str, int], query: str, id: object, grade: object) -> None:
        """Take the grade of an id for a question that was taken."""
        name, value = _id(id), _grade(grade)
        if not name:
            self.wrong(*place, "an expected id is empty or no text")
        elif value is None:
            self.wrong(*place, f"the grade of {name!r} is no number")
        elif name in self.relevant.setdefault(query, {}):
            self.wrong(*place, f"{name!r} is expected twice")
        else:
            self.relevant[query][name] = value


def read(path: str = "", *, queries: str = "", qrels: str = "") -> Gold:
    """The questions of a file or folder, or those of ``queries`` with the judgements of ``qrels``.

    Raises ``UsageError`` for arguments that do not fit together, ``ConfigurationError`` for files that cannot be used; every
    line with a problem stands in its ``details``.
    """
    if bool(path) == bool(queries or qrels) or bool(queries) != bool(qrels):
        raise UsageError("give a gold file, or --queries together with --qrels", FORMS)
    if path and os.path.isdir(path):
        queries, qrels = _beir(path)
    found = _Found()
    if queries:
        texts = {queries: _text(queries), qrels: _text(qrels)}
        _read_queries(found, queries, texts[queries])
        _read_qrels(found, qrels, texts[qrels])
    else:
        texts = {path: _text(path)}
        _read_file(found, path, texts[path])
    name = os.path.basename(os.path.abspath(path or qrels))
    return _gold(found, name, texts.values(), partial=bool(queries))


def _gold(found: _Found, name: str, texts: Iterable[str], *, partial: bool) -> Gold:
    from hashlib import sha256

    asked = [Asked(id, text, found.relevant.get(id, {})) for id, text in found.queries.items()]
    usable = tuple(one for one in asked if one.expected)
    if found.problems:
        told = [f"{row['file']} line {row['line']}: {row['reason']}" for row in found.problems]
        more = f"; and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
        raise ConfigurationError(
            f"the gold set has problems: {'; '.join(told[:SHOWN])}{more}", "mend these lines", {"problems": found.problems}
        )
    if not usable:
        raise ConfigurationError(f"{name} holds no query with something to be found", f"it takes {FORMS}")
    digest = sha256("\0".join(texts).encode("utf-8")).hexdigest()
    return Gold(name, digest, usable, len(asked) - len(usable) if partial else 0)


def _beir(folder: str) -> tuple[str, str]:
    queries = os.path.join(folder, "queries.jsonl")
    judged = [path for path in (os.path.join(folder, name) for name in QRELS) if os.path.isfile(path)]
    if not os.path.isfile(queries) or not judged:
        raise ConfigurationError(f"{folder} is no gold set", f"it takes {FORMS}")
    return queries, judged[0]


def _text(path: str) -> str:
    if not os.path.isfile(path):
        reason = "is no file" if os.path.exists(path) else "does not exist"
        raise ConfigurationError(f"{path} {reason}", f"a gold set is {FORMS}")
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text (byte {error.start})", "save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}", "mend its permissions") from None


def _read_file(found: _Found, path: str, text: str) -> None:
    form = os.path.splitext(path)[1].lower()
    if form in TABLES:
        _read_table(found, path, text, TABLES[form])
    elif form in LINES or text.lstrip().startswith("{"):
        _read_lines(found, path, text)
    else:
        raise ConfigurationError(f"{path} is in no known form", f"a gold set is {FORMS}")


def _read_lines(found: _Found, path: str, text: str) -> None:
    for place, row in _rows(found, path, text):
        told = [name for name in ("expected", "relevant") if name in row]
        if "query" not in row or len(told) != 1:
            found.wrong(*place, "an object with `query` and one of `expected` and `relevant` is wanted")
            continue
        query = found.query(place, row.get("id"), row["query"])
        if not query:
            continue
        given = row[told[0]]
        grades = (
            given.items() if isinstance(given, dict) else ((id, 1) for id in (given if isinstance(given, list) else [given]))
        )
        for id, grade in grades:
            found.judge(place, query, id, grade)
        if not any(grade > 0 for grade in found.relevant.get(query, {}).values()):
            found.wrong(*place, "nothing is expected")


def _read_table(found: _Found, path: str, text: str, delimiter: str) -> None:
    """Rows with ``query``, ``expected`` and perhaps ``grade``: one id each, so that a query with several has several rows."""
    import csv

    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        if not {"query", "expected"} <= set(reader.fieldnames or ()):
            found.wrong(path, 1, "the first line must name the columns `query` and `expected`, and perhaps `grade`")
            return
        for row in reader:
            place = (path, reader.line_num)
            query = row["query"] if row["query"] in found.queries else found.query(place, None, row["query"])
            if query:
                found.judge(place, query, row["expected"], row.get("grade") or 1)
    except csv.Error as error:
        found.wrong(path, reader.reader.line_num, str(error))


def _read_queries(found: _Found, path: str, text: str) -> None:
    for place, row in _rows(found, path, text):
        found.query(place, row.get("_id", row.get("id", "")), row.get("text", row.get("query")))


def _read_qrels(found: _Found, path: str, text: str) -> None:
    """Judgements as BEIR (query, id, grade, with a head line) or TREC (query, 0, id, grade) writes them."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not any(cells) or (number == 1 and _grade(cells[-1]) is None):
            continue
        if len(cells) not in (3, 4):
            found.wrong(path, number, "three columns (query, id, grade) or four (query, 0, id, grade) are wanted")
        elif cells[0] not in found.queries:
            found.wrong(path, number, f"there is no query {cells[0]!r}")
        else:
            found.judge((path, number), cells[0], cells[-2], cells[-1])


def _rows(found: _Found, path: str, text: str) -> Iterator[tuple[tuple[str, int], dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            found.wrong(path, number, "this is not JSON")
            continue
        if isinstance(row, dict):
            yield (path, number), row
        else:
            found.wrong(path, number, "this is no JSON object")


def _id(value: object) -> str:
    """An id as text; empty for what cannot be one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _grade(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        grade = float(value)
    except (ValueError, OverflowError):
        return None
    return grade if isfinite(grade) else None
