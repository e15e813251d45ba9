"""A report in the forms that SearXNG's clients read: JSON, CSV and RSS."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.faces.http.searx import Asked

Row = dict[str, Any]
STEP = 1e-4
"""The share by which a score is at least below the one before: clients sort by it, and the order of the list is right."""
LEAST = 0.01
"""The share of the score before that one is at least, so that none comes to nothing."""
SAID = {
    "empty": "no results",
    "timeout": "timeout",
    "rate_limited": "too many requests",
    "quota": "too many requests",
    "auth": "access denied",
    "unavailable": "network error",
    "error": "server API error",
    "cancelled": "timeout",
    "skipped": "unexpected crash",
}
"""SearXNG's words for what became of an engine; it has none for one that answered with nothing, and is silent about it."""


def passage_path(locator: Mapping[str, Any]) -> str:
    """The address on this service of a place in a local collection."""
    query = {"corpus": locator["corpus"], "path": locator["path"]}
    if locator.get("section"):
        query["section"] = locator["section"]
    if locator.get("lines"):
        query["lines"] = "-".join(map(str, locator["lines"]))
    return f"/passage?{urlencode(query)}"


def page_of(report: Mapping[str, Any], asked: Asked) -> list[Row]:
    """The results of the page that is asked for, those left out that are known to be older than what is wanted."""
    rows = report["results"]
    if asked.since:
        oldest = (datetime.now(UTC) - timedelta(days=asked.since)).date().isoformat()
        rows = [row for row in rows if not row["published"] or row["published"][:10] >= oldest]
    first = (asked.page - 1) * asked.size
    return list(rows[first : first + asked.size])


def as_json(report: Mapping[str, Any], asked: Asked, base: str) -> Row:
    """SearXNG's JSON; what it has no word for stands under ``degraded``. ``base`` is the address of this service."""
    results = entries(page_of(report, asked), asked, base)
    return {
        "query": asked.text,
        "number_of_results": len(report["results"]),
        "results": results,
        "answers": [],
        "corrections": corrected(report),
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": unresponsive(report),
        "degraded": degraded(report),
    }


def entries(rows: Sequence[Row], asked: Asked, base: str) -> list[Row]:
    """The results with scores from 1 downwards, in the order of the list."""
    made: list[Row] = []
    best, last = (rows[0]["score"] if rows else 0.0) or 1.0, 1.0 / (1 - STEP)
    for row in rows:
        last = min(max(row["score"] / best, last * LEAST), last * (1 - STEP))
        made.append(_entry(row, last, asked.category, base))
    return made


def _entry(row: Row, score: float, category: str, base: str) -> Row:
    url = row["url"] or (f"{base}{passage_path(row['locator'])}" if row["locator"] else "")
    return {
        "url": url,
        "title": row["title"],
        "content": row["content"],
        "engine": row["source"],
        "engines": [share["source"] for share in row["fused_from"]],
        "positions": [share["rank"] for share in row["fused_from"]],
        "score": score,
        "category": category,
        "template": "default.html",
        "parsed_url": _parts(url),
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "publishedDate": row["published"] or None,
    }


def _parts(url: str) -> list[str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ["", "", url, "", "", ""]
    return [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment]


def corrected(report: Mapping[str, Any]) -> list[str]:
    """The query in the spelling that was searched beside it."""
    text = str(report["query"])
    for correction in report["corrections"]:
        wrong, _, right = correction.partition(" → ")
        text = text.replace(wrong, right)
    return [text] if report["corrections"] else []


def unresponsive(report: Mapping[str, Any]) -> list[list[str]]:
    """Pairs of an engine that gave nothing and why, in SearXNG's words."""
    return [[row["source"], _why(row)] for row in report["outcomes"] if row["status"] != "ok"]


def _why(row: Row) -> str:
    if row["status"] != "refused":
        return SAID.get(row["status"], "unexpected crash")
    return "Suspended: too many requests" if "rate" in row["reason"] else "Suspended: network error"


def degraded(report: Mapping[str, Any]) -> Row:
    """In what the answer is less than it should be, with reasons; what was never configured is left out."""
    lost = report["degradation"]
    kept = {name: [row for row in lost[name] if not row["optional"]] for name in ("missing", "errors")}
    return {"is_degraded": report["degraded"], **kept, "message": report.get("message", "")}


def as_csv(report: Mapping[str, Any], asked: Asked, base: str) -> str:
    """SearXNG's CSV."""
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(("title", "url", "content", "host", "engine", "score", "type"))
    for row in entries(page_of(report, asked), asked, base):
        writer.writerow((row["title"], row["url"], row["content"], row["parsed_url"][1], row["engine"], row["score"], "result"))
    for text in corrected(report):
        writer.writerow((text, "", "", "", "", "", "correction"))
    return out.getvalue()


def as_rss(report: Mapping[str, Any], asked: Asked, base: str) -> bytes:
    """An RSS channel with OpenSearch's elements."""
    from xml.etree import ElementTree as ET

    space = "http://a9.com/-/spec/opensearch/1.1/"
    ET.register_namespace("opensearch", space)
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    results = entries(page_of(report, asked), asked, base)
    head = {"title": f"encyclopedia: {asked.text}", "link": f"{base}/search?{urlencode({'q': asked.text})}"}
    head |= {"description": f"Results for {asked.text}", f"{{{space}}}totalResults": str(len(report["results"]))}
    head |= {f"{{{space}}}startIndex": str((asked.page - 1) * asked.size + 1), f"{{{space}}}itemsPerPage": str(asked.size)}
    for name, text in head.items():
        ET.SubElement(channel, name).text = _legal(text)
    for row in results:
        item = ET.SubElement(channel, "item")
        for name, text in (("title", row["title"]), ("link", row["url"]), ("description", row["content"])):
            ET.SubElement(item, name).text = _legal(text)
        ET.SubElement(item, "source", url=row["url"]).text = row["engine"]
    made: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return made


def _legal(text: str) -> str:
    """The text without what XML does not allow."""
    return "".join(c for c in text if c in "\t\n\r" or (" " <= c <= "\ud7ff") or ("\ue000" <= c <= "�") or c > "\uffff")
