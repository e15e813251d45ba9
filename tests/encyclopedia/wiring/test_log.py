from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from encyclopedia import Encyclopedia, Hit
from encyclopedia.model.errors import Unavailable
from encyclopedia.wiring.log import Log
from encyclopedia_adapters.generic.fixed import Fixed


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.spec("ENC-LOG-1")
async def test_each_step_is_a_line_on_standard_error(
    make: Callable[..., Encyclopedia], capsys: pytest.CaptureFixture[str]
) -> None:
    async with make(Fixed("one", [Hit("a \x1b[31mpage", "https://example.org/1")]), log_level="info") as e:
        await e.search("widgets")
    out, err = capsys.readouterr()
    assert out == ""
    assert [line["name"] for line in lines(err)] == [
        "classify", "correct", "expand", "adapt", "route", "dispatch", "fuse", "dedupe", "cache", "evidence", "trim"
    ]  # fmt: skip
    assert all(line["level"] == "info" and "before" not in line for line in lines(err))


@pytest.mark.spec("ENC-LOG-1")
async def test_debug_has_the_values_and_escapes_them(
    make: Callable[..., Encyclopedia], capsys: pytest.CaptureFixture[str]
) -> None:
    async with make(Fixed("one", [Hit("a \x1b[31mpage", "https://example.org/1")]), log_level="debug") as e:
        await e.search("widgets")
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert any("page" in str(line["after"]) for line in lines(err))


@pytest.mark.spec("ENC-LOG-1")
@pytest.mark.parametrize("level", ["warning", "info"])
async def test_a_source_that_is_left_alone_is_told_where_asked(
    make: Callable[..., Encyclopedia], capsys: pytest.CaptureFixture[str], level: str
) -> None:
    bad, good = Fixed("bad", raises=Unavailable("gone")), Fixed("good", [Hit("x")])
    async with make(bad, good, breaker__fail_max=1, log_level=level) as e:
        await e.search("widgets")  # by default the report alone says so
    told = [line for line in lines(capsys.readouterr().err) if line["event"] != "step"]
    expected = [("ENCYCLOPEDIA_SOURCE_DEGRADED", "bad")] if level == "info" else []
    assert [(line["event"], line["source"]) for line in told] == expected


def test_a_level_wants_what_is_at_least_as_grave(capsys: pytest.CaptureFixture[str]) -> None:
    log = Log("error")
    log.tell("warning", "not this")
    log.tell("error", "this")
    assert [line["event"] for line in lines(capsys.readouterr().err)] == ["this"]
