from __future__ import annotations

from io import StringIO
from typing import Any

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from rich.console import Console

from encyclopedia.faces.cli.decisions import print_dry_run, print_explanation, print_verbose
from encyclopedia.faces.cli.remarks import print_remarks, remarks, who_answered
from encyclopedia.faces.cli.results import places, print_results, query_words, snippet
from encyclopedia.faces.cli.tables import flow, print_fields, print_table
from encyclopedia.faces.standing import age, in_words
from encyclopedia.model.plan import Health
from encyclopedia_adapters.shared.session import ours

KEY = ConnectionKey("example.org", 443, is_ssl=True, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)

SHARE = {"source": "notes", "rank": 1, "weight": 0.6, "score": 0.0909}
ROW: dict[str, Any] = {
    "rank": 1,
    "title": "Rotating keys",
    "url": "https://example.org/keys",
    "content": "Intro.\n\nNothing here.\n\nRotate the signing keys every quarter.\n\nMore.",
    "source": "notes",
    "score": 0.0909,
    "fused_from": [SHARE, {"source": "wiki", "rank": 3, "weight": 0.4, "score": 0.04, "expansion": True}],
    "locator": None,
    "published": None,
    "version": None,
}
ANALYSIS = {
    "raw_query": "kuberntes limts",
    "text": "kuberntes limts",
    "classified_type": "library_docs",
    "rule": "default",
    "library": "kubernetes",
    "repository": None,
    "corrections": ["limts → limits"],
    "expansions": [["kubernetes", "k8s"]],
    "adapted": {"notes": "kuberntes kubernetes limts limits"},
}
CACHE = {"status": "miss", "matched_query": None, "similarity": None, "age": None, "refused_by": None}


def body(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "query": "signing keys",
        "results": [ROW],
        "outcomes": [{"source": "notes", "status": "ok", "results": 1, "ms": 12, "reason": "", "optional": False}],
        "degradation": {"missing": [], "errors": []},
        "cached": False,
        "evidence_gap": [],
        "verbose": {
            "query_analysis": ANALYSIS | {"corrections": [], "adapted": {}},
            "source_routing": {"target_sources": ["notes"], "health_filtered": [], "fallback_used": False, "widened": False},
            "fusion": {
                "formula": "scaled",
                "k": 10,
                "weights": {"notes": 1.0},
                "per_source_results": {},
                "dropped_duplicates": [],
            },
            "cache": CACHE,
            "profiler": {"adaptive_enabled": False, "adjustments": {}},
            "stages": [{"name": "classify", "ms": 0.31, "absent": None}, {"name": "dedupe", "ms": 0, "absent": "failed: X"}],
        },
    }
    return made | changes


def printed(draw: Any, width: int = 80, **options: Any) -> str:
    buffer = StringIO()
    draw(Console(file=buffer, width=width, color_system=None, highlight=False, markup=False, emoji=False, **options))
    return buffer.getvalue()


def sentences(**changes: Any) -> list[str]:
    return [sentence for sentence, _ in remarks(body(**changes))]


@pytest.mark.spec("ENC-CLI-5")
def test_a_result_says_what_it_is_where_it_stands_and_who_found_it() -> None:
    lines = printed(lambda console: print_results(console, body(), {})).splitlines()
    assert lines[:3] == [" 1. Rotating keys", "    https://example.org/keys", "    notes #1 · wiki #3"]
    assert "    Rotate the signing keys every quarter." in lines


@pytest.mark.spec("ENC-CLI-5")
@pytest.mark.parametrize(
    ("locator", "place"),
    [
        ({"corpus": "n", "path": "a/b.md", "section": "Ops > Keys", "lines": [10, 24]}, "n a/b.md:10-24 § Ops > Keys"),
        ({"corpus": "n", "path": "b.md", "section": None, "lines": [7, 7]}, "n b.md:7"),
        ({"corpus": "n", "path": "b.pdf", "section": None, "lines": None, "page": 3}, "n b.pdf page 3"),
        ({"corpus": "man", "path": "tar(1)", "section": "NAME", "lines": None}, "man tar(1) § NAME"),
        ({"corpus": "n", "path": "\x1b[31m.md", "section": None, "lines": None}, r"n \x1b[31m.md"),
    ],
)
def test_a_place_in_a_local_collection(locator: dict[str, Any], place: str) -> None:
    assert places(ROW | {"url": None, "locator": locator}) == [place]
    assert places(ROW | {"locator": locator}) == ["https://example.org/keys", place]


@pytest.mark.spec("ENC-CLI-5")
def test_version_and_date_are_shown_when_known() -> None:
    row = ROW | {"version": "3.14.5", "published": "2026-01-02T03:04:05Z"}
    assert "notes #1 · wiki #3 · version 3.14.5 · 2026-01-02\n" in printed(lambda c: print_results(c, body(results=[row]), {}))


@pytest.mark.spec("ENC-CLI-5")
def test_a_snippet_is_at_most_three_lines_around_the_words_and_as_wide_as_the_terminal() -> None:
    content = "\n".join([*(f"filler number {n}" for n in range(30)), "here the signing keys rotate " * 20, "tail"])
    for width in (30, 60, 120):
        lines = printed(lambda c: [c.print(line) for line in snippet(c, content, ["signing", "keys"])], width).splitlines()
        assert 1 <= len(lines) <= 3
        assert all(len(line) <= width for line in lines)
        assert any("signing" in line for line in lines)


@pytest.mark.parametrize("content", ["", "\n\n", "   "])
def test_a_result_without_text_has_no_snippet(content: str) -> None:
    assert printed(lambda console: console.print(*snippet(console, content, ["x"]))).strip() == ""


@pytest.mark.spec("ENC-CLI-5")
def test_words_of_the_query_are_marked_whatever_their_case() -> None:
    buffer = StringIO()
    console = Console(file=buffer, width=80, force_terminal=True, color_system="standard")
    for line in snippet(console, "Rotate the SIGNING keys", query_words("signing of keys")):
        console.print(line)
    assert "\x1b[1;33mSIGNING\x1b[0m" in buffer.getvalue()
    assert "\x1b[1;33mkeys\x1b[0m" in buffer.getvalue()
    assert "\x1b[1;33mof" not in buffer.getvalue()


@pytest.mark.parametrize(("query", "words"), [("a tar of 文書", ["tar", "文書"]), ("(", []), ("x.y_z", ["y_z"]), ("", [])])
def test_words_worth_marking(query: str, words: list[str]) -> None:
    assert query_words(query) == words


@pytest.mark.spec("ENC-CLI-12")
def test_markup_and_escapes_in_results_stay_text() -> None:
    row = ROW | {"title": "[bold]x[/bold] \x1b[2J", "content": "[link=https://evil.example]keys[/link] \x1b]52;c;x\x07"}
    shown = printed(lambda console: print_results(console, body(results=[row]), {}))
    assert r"[bold]x[/bold] \x1b[2J" in shown
    assert r"[link=https://evil.example]keys[/link] \x1b]52;c;x\x07" in shown
    assert "\x1b" not in shown


@pytest.mark.spec("ENC-CLI-6")
@pytest.mark.parametrize(
    ("row", "url"),
    [
        (ROW, "https://example.org/keys"),
        (
            ROW | {"url": None, "locator": {"corpus": "notes", "path": "a b.md", "section": None, "lines": None}},
            "file:///srv/notes/a%20b.md",
        ),
    ],
)
def test_titles_are_links_on_a_terminal(row: dict[str, Any], url: str) -> None:
    buffer = StringIO()
    console = Console(file=buffer, width=80, force_terminal=True, color_system="standard")
    print_results(console, body(results=[row]), {"notes": "/srv/notes"})
    assert f";{url}\x1b\\" in buffer.getvalue()


@pytest.mark.spec("ENC-CLI-7")
def test_explain_shows_the_shares_that_make_a_score() -> None:
    shown = printed(lambda console: print_results(console, body(), {}, explain=True))
    assert "0.090900 from notes: rank 1, weight 0.600" in shown
    assert "0.040000 from wiki: rank 3, weight 0.400, by other words" in shown


@pytest.mark.spec("ENC-CLI-8")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {
                "degradation": {
                    "missing": [{"source": "exa", "reason": "EXA_API_KEY not found", "optional": False}],
                    "errors": [],
                }
            },
            "! exa: EXA_API_KEY not found",
        ),
        (
            {
                "degradation": {
                    "missing": [],
                    "errors": [{"source": "wiki", "message": "no answer", "optional": False, "hint": "h"}],
                }
            },
            "! wiki: no answer (h)",
        ),
        ({"notes": ["cut at 4000 characters"]}, "cut at 4000 characters"),
        ({"evidence_gap": ["tls", "quota"]}, "no result mentions: tls, quota"),
    ],
)
def test_what_else_a_person_should_know(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in sentences(**changes)


@pytest.mark.spec("ENC-CLI-8")
def test_what_was_never_configured_is_no_alarm() -> None:
    missing = [{"source": "exa", "reason": "EXA_API_KEY not found", "optional": True}]
    assert sentences(degradation={"missing": missing, "errors": []}) == []


def lost(name: str, message: str, **more: Any) -> dict[str, Any]:
    return {"source": name, "message": message, "optional": False} | more


@pytest.mark.spec("ENC-CLI-28")
def test_sources_that_cannot_be_reached_stand_in_one_line() -> None:
    unresolved = aiohttp.ClientConnectorDNSError(KEY, OSError(-2, "Name or service not known"))
    refused = aiohttp.ClientConnectorError(KEY, ConnectionRefusedError(111, "Connection refused"))
    errors = [
        lost("context7", str(ours(unresolved, "context7.com"))),
        lost("wiki", "wiki.example.org answered HTTP 503"),
        lost("mdn", str(ours(refused, "developer.mozilla.org"))),
        lost("blog", str(ours(unresolved, "blog.example.org")), optional=True),
    ]
    told = ["! context7, mdn: cannot be reached (no network?)", "! wiki: wiki.example.org answered HTTP 503"]
    assert sentences(degradation={"missing": [], "errors": errors}) == told
    rows = [
        {"source": row["source"], "status": "unavailable", "results": 0, "ms": 1, "reason": row["message"]} for row in errors
    ]
    shown = who_answered(body(outcomes=rows, degradation={"missing": [], "errors": errors}))
    assert shown[:3] == ["context7 unavailable", "wiki unavailable", "mdn unavailable"]


@pytest.mark.spec("ENC-CLI-28")
def test_those_that_are_left_alone_for_it_stand_in_another() -> None:
    held = Health("open", until=0.0, last_error="a.example.org is not a name that can be resolved", fails=3)
    missing = [lost(name, "", reason=in_words(held, 0.0)) for name in ("context7", "mdn")]
    errors = [lost("wiki", held.last_error)]
    assert sentences(degradation={"missing": missing, "errors": errors}) == [
        "! context7, mdn: could not be reached and are left alone for now (no network?)",
        "! wiki: a.example.org is not a name that can be resolved",
    ]


@pytest.mark.spec("ENC-CLI-8")
def test_corrections_and_widening_are_told() -> None:
    verbose = body()["verbose"]
    verbose["query_analysis"] = ANALYSIS
    verbose["source_routing"]["widened"] = True
    told = sentences(verbose=verbose)
    assert told[0].startswith("searched also for: limits (for limts")
    assert told[1].startswith("widened to the general sources")


@pytest.mark.spec("ENC-CLI-8")
@pytest.mark.parametrize(
    ("cache", "told"),
    [
        ({"age": 41.0, "matched_query": "signing keys"}, "stored answer, 41 s old; --no-cache asks again"),
        ({"age": 425.0, "matched_query": None}, "stored answer, 7 min old; --no-cache asks again"),
        (
            {"age": 1.0, "matched_query": "sign key", "similarity": 0.934},
            "stored answer to 'sign key' (similarity 0.93), 1 s old; --no-cache asks again",
        ),
    ],
)
def test_a_stored_answer_says_how_old_it_is_and_to_what(cache: dict[str, Any], told: str) -> None:
    verbose = body()["verbose"]
    verbose["cache"] = CACHE | {"status": "hit"} | cache
    assert told in sentences(cached=True, verbose=verbose)


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3540, "59 min"), (7200, "2 h")])
def test_ages(seconds: float, words: str) -> None:
    assert age(seconds) == words


@pytest.mark.spec("ENC-CLI-8")
def test_all_outcomes_stand_in_one_line_each_reason_once() -> None:
    rows = [
        {"source": "packages", "status": "ok", "results": 5, "ms": 12, "reason": ""},
        {"source": "wikipedia", "status": "rate_limited", "results": 0, "ms": 1, "reason": "asked to wait"},
        {"source": "manpages", "status": "empty", "results": 0, "ms": 1, "reason": ""},
    ]
    told = ["packages 5 in 12 ms", "wikipedia rate limited (asked to wait)", "manpages empty"]
    assert who_answered(body(outcomes=rows)) == told
    shown = printed(lambda console: print_remarks(console, body(outcomes=rows)), width=60).splitlines()
    assert shown == ["packages 5 in 12 ms · wikipedia rate limited (asked to wait)", "manpages empty"]
    lost = {"missing": [], "errors": [{"source": "wikipedia", "message": "asked to wait", "optional": False}]}
    shown = printed(lambda console: print_remarks(console, body(outcomes=rows, degradation=lost))).splitlines()
    assert shown == ["! wikipedia: asked to wait", "packages 5 in 12 ms · wikipedia rate limited · manpages empty"]


@pytest.mark.parametrize("width", [10, 20, 40, 200])
def test_items_flow_and_are_never_broken(width: int) -> None:
    items = [f"item {number}" for number in range(12)]
    lines = list(flow(items, width))
    assert [item for line in lines for item in line.split(" · ")] == items
    assert all(len(line) <= max(width, len("item 10")) for line in lines)


@pytest.mark.spec("ENC-CLI-8")
@pytest.mark.parametrize(("library", "words"), [(None, "is a known library"), ("csv", "is surely a library")])
def test_widening_says_what_is_true(library: str | None, words: str) -> None:
    verbose = body()["verbose"]
    verbose["query_analysis"] = ANALYSIS | {"library": library, "corrections": []}
    verbose["source_routing"]["widened"] = True
    assert sentences(verbose=verbose) == [f"widened to the general sources: no word of the query {words}"]


@pytest.mark.spec("ENC-CLI-5")
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("```bash\nmake keys\n```", ["make keys"]),
        ("[\n1 key\n]\nend of keys", ["1 key", "]", "end of keys"]),
        ("- \nkeys\n1.\n", ["keys"]),
        ("~~~\n{}\n", []),
    ],
)
def test_a_snippet_does_not_begin_or_end_with_a_bare_mark(content: str, shown: list[str]) -> None:
    lines = printed(lambda console: [console.print(line) for line in snippet(console, content, ["keys"])]).splitlines()
    assert [line.strip() for line in lines] == shown


@pytest.mark.spec("ENC-CLI-5")
def test_what_a_word_was_corrected_to_is_marked_too() -> None:
    buffer = StringIO()
    told = body(query="kuberntes", corrections=["kuberntes → kubernetes"], results=[ROW | {"content": "on kubernetes"}])
    print_results(Console(file=buffer, width=80, force_terminal=True, color_system="standard"), told, {})
    assert "\x1b[1;33mkubernetes\x1b[0m" in buffer.getvalue()


@pytest.mark.spec("ENC-CLI-12")
def test_remarks_are_harmless_too() -> None:
    shown = printed(lambda console: print_remarks(console, body(evidence_gap=["\x1b[2J"])))
    assert r"no result mentions: \x1b[2J" in shown


@pytest.mark.spec("ENC-CLI-7")
def test_verbose_shows_analysis_routing_fusion_cache_and_stages() -> None:
    verbose = body()["verbose"]
    verbose["query_analysis"] = ANALYSIS
    verbose["source_routing"]["health_filtered"] = ["exa"]
    verbose["fusion"]["dropped_duplicates"] = [{"source": "wiki", "title": "A", "kept": "B", "reason": "same address"}]
    verbose["cache"] = CACHE | {"refused_by": "numbers", "reason": "a number differs"}
    verbose["profiler"] = {"adaptive_enabled": True, "adjustments": {"exa": 1.05, "wiki": 0.9}}
    shown = {
        line.split("  ")[0].strip(): line for line in printed(lambda console: print_verbose(console, verbose)).splitlines()
    }
    assert "library_docs (default)" in shown["type"]
    assert "limts → limits" in shown["corrections"]
    assert "kubernetes = k8s" in shown["expansions"]
    assert "exa" in shown["held back"]
    assert "scaled, k = 10" in shown["fusion"]
    assert "wiki: A into B (same address)" in shown["merged"]
    assert "exa +5.0% · wiki -10.0%" in shown["moved by"]
    assert "miss, refused by numbers, a number differs" in shown["cache"]
    assert "classify 0.3 ms · dedupe 0.0 ms (absent: failed: X)" in shown["stages"]


@pytest.mark.spec("ENC-CLI-7")
def test_an_explanation_shows_what_changed() -> None:
    steps = [
        {
            "name": "correct",
            "before": {"text": "limts"},
            "after": {"text": "limts", "corrections": ["limts → limits"]},
            "absent": None,
        },
        {"name": "expand", "before": {"text": "x"}, "after": {"text": "x"}, "absent": None},
        {"name": "dedupe", "before": {"results": []}, "after": {"results": []}, "absent": "y is not installed"},
    ]
    shown = printed(lambda console: print_explanation(console, steps))
    assert shown.splitlines() == [
        "correct        corrections: limts → limits",
        "dedupe         absent: y is not installed",
        "unchanged by   expand",
    ]


@pytest.mark.spec("ENC-CLI-7")
def test_an_explanation_is_wrapped_beside_its_names_and_cut() -> None:
    steps = [{"name": "route", "before": {}, "after": {"asks": {f"s{n}": "some words" for n in range(100)}}, "absent": None}]
    lines = printed(lambda console: print_explanation(console, steps), width=50).splitlines()
    assert all(len(line) <= 50 for line in lines)
    assert all(line.startswith(" " * 15) for line in lines[1:])
    assert 9 < len(lines) < 16
    assert lines[-1].endswith("(--json shows all)")


@pytest.mark.spec("ENC-CLI-9")
def test_a_dry_run_for_a_person() -> None:
    plan = {
        "deadline": 10.0,
        "widened": True,
        "sources": [
            {"source": "notes", "text": "kubernetes limits", "weight": 1.0, "timeout": 5.0, "limit": 10, "role": "primary"}
        ],
        "declined": [{"source": "exa", "reason": "EXA_API_KEY not found", "optional": True, "refused": False}],
    }
    told = {
        "query_analysis": ANALYSIS,
        "plan": plan,
        "source_health": {"notes": "healthy"},
        "cache_status": "miss",
        "notes": ["only stop words"],
        "stages": [{"name": "route", "ms": 0.2, "absent": None}],
    }
    shown = printed(lambda console: print_dry_run(console, told), 120)
    assert "'kubernetes limits' · weight 1.000 · 5 s · primary · healthy" in shown
    assert "10 s in all, widened" in shown
    assert "EXA_API_KEY not found" in shown
    assert "only stop words" in shown
    empty = plan | {"declined": [], "widened": False}
    assert "nobody is left out" in printed(lambda console: print_dry_run(console, told | {"plan": empty}))


def test_a_long_last_column_gets_its_own_line_where_there_is_no_room() -> None:
    rows = [("notes", "up to date", "/a/long/way/down/to/the/notes"), ("more", "", "")]
    wide = printed(lambda console: print_table(console, ("corpus", "state", "path"), rows), width=80).splitlines()
    assert [line.split() for line in wide] == [
        ["corpus", "state", "path"],
        ["notes", "up", "to", "date", "/a/long/way/down/to/the/notes"],
        ["more"],
    ]
    narrow = printed(lambda console: print_table(console, ("corpus", "state", "path"), rows), width=30).splitlines()
    assert narrow == [
        "corpus  state",
        "    path",
        "notes   up to date",
        "    /a/long/way/down/to/the/notes",
        "more",
    ]


def test_tables_and_fields_are_harmless_and_leave_out_what_is_not_known() -> None:
    assert r"\x1b[2J" in printed(lambda console: print_table(console, ("a", "b"), [("\x1b[2J", "y")]))
    assert (
        printed(lambda console: print_fields(console, {"name": "x", "empty": "", "none": None, "zero": 0}))
        == "name   x\nzero   0\n"
    )
