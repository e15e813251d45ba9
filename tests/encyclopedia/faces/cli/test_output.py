from __future__ import annotations

import io
import json
from typing import Any

import pytest

from encyclopedia.faces.cli.corpus import parse_serves
from encyclopedia.faces.cli.indexing import indexed_row, sentence
from encyclopedia.faces.cli.output import Output
from encyclopedia.faces.cli.progress import bar, waiting
from encyclopedia.faces.cli.stream import Landing
from encyclopedia.model.corpus import Indexed
from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.outcome import Hit, Locator, Outcome, Reply
from encyclopedia.model.status import Status


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def pipe() -> tuple[io.StringIO, io.StringIO]:
    return io.StringIO(), io.StringIO()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> tuple[io.StringIO, io.StringIO]:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal(), Terminal()


def draw(console: Any) -> None:
    console.print("red", style="red")


@pytest.mark.spec("ENC-CLI-3")
def test_a_pipe_gets_one_json_object_in_utf8(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Output(streams=pipe).show({"schema_version": 1, "query": "größe 文書"}, draw)
    assert pipe[0].getvalue() == '{"schema_version": 1, "query": "größe 文書"}\n'
    assert pipe[1].getvalue() == ""


@pytest.mark.spec("ENC-CLI-3")
def test_a_pipe_gets_the_readable_form_when_it_asks(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Output(text=True, streams=pipe).show({}, draw)
    assert pipe[0].getvalue() == "red\n"


@pytest.mark.spec("ENC-CLI-3")
def test_a_terminal_gets_json_when_it_asks(terminal: tuple[io.StringIO, io.StringIO]) -> None:
    Output(json=True, streams=terminal).show({"schema_version": 1, "list": [1]}, draw)
    assert json.loads(terminal[0].getvalue()) == {"schema_version": 1, "list": [1]}


@pytest.mark.spec("ENC-CLI-6")
@pytest.mark.parametrize(
    ("color", "environ", "coloured"),
    [
        ("auto", {}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("auto", {"NO_COLOR": ""}, True),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {}, False),
    ],
)
def test_colours(
    color: str,
    environ: dict[str, str],
    coloured: bool,
    terminal: tuple[io.StringIO, io.StringIO],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    Output(color=color, streams=terminal).show({}, draw)
    assert ("\x1b[31mred" in terminal[0].getvalue()) is coloured


@pytest.mark.spec("ENC-CLI-6")
def test_a_pipe_is_coloured_only_when_it_asks(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Output(text=True, streams=pipe).show({}, draw)
    assert "\x1b" not in pipe[0].getvalue()
    Output(text=True, color="always", streams=pipe).show({}, draw)
    assert "\x1b[31m" in pipe[0].getvalue()


@pytest.mark.spec("ENC-CLI-3")
def test_an_error_is_json_for_programs(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Output(streams=pipe).error(ConfigurationError("EXA_API_KEY not found", "set it", {"outcomes": []}))
    told = json.loads(pipe[0].getvalue())
    assert list(told) == ["schema_version", "status", "code", "message", "hint", "outcomes"]
    assert (told["code"], told["message"], told["hint"]) == (1, "EXA_API_KEY not found", "set it")
    assert pipe[1].getvalue() == ""


@pytest.mark.spec("ENC-CLI-3")
def test_an_error_is_a_sentence_with_its_remedy_for_people(terminal: tuple[io.StringIO, io.StringIO]) -> None:
    Output(streams=terminal).error(ConfigurationError("no \x1b[2J", "set it"))
    assert terminal[0].getvalue() == ""
    assert terminal[1].getvalue() == "encyclopedia: no \\x1b[2J\n  set it\n"


@pytest.mark.spec("ENC-CLI-3")
def test_a_person_sees_the_error_of_a_command_in_a_pipe_too(
    pipe: tuple[io.StringIO, io.StringIO],
) -> None:
    seen = Terminal()
    Output(streams=(pipe[0], seen)).error(ConfigurationError("no key"))
    assert json.loads(pipe[0].getvalue())["message"] == "no key"
    assert seen.getvalue() == "encyclopedia: no key\n"


@pytest.mark.spec("ENC-CLI-10")
def test_a_stream_ends_with_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    Output.guessed(["search", "x", "--stream"]).error(UsageError("wrong"))
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["code"]) == ("error", 64)


@pytest.mark.spec("ENC-CLI-11")
def test_progress_only_on_a_terminal(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    output = Output(streams=pipe)
    with bar(output, "indexing") as progress, waiting(output, "asking"):
        progress("a.md", 1, 2)
    assert pipe[0].getvalue() == pipe[1].getvalue() == ""


@pytest.mark.spec("ENC-CLI-11")
def test_progress_on_a_terminal_goes_to_stderr(terminal: tuple[io.StringIO, io.StringIO]) -> None:
    output = Output(streams=terminal)
    assert output.interactive
    with bar(output, "indexing {x} [red]") as progress:
        progress("a\x1b[2J{y}.md", 1, 2)
        progress("b.md", 2, 2)
    assert terminal[0].getvalue() == ""
    assert "indexing {x} [red]" in terminal[1].getvalue()
    assert "2/2" in terminal[1].getvalue()


class Stop:
    """Stands for the event that ends a search."""

    was_set = False

    def set(self) -> None:
        self.was_set = True


OUTCOME = Outcome(
    "notes",
    Status.OK,
    Reply((Hit("Keys", locator=Locator("notes", "keys.md")), Hit("Web", url="https://example.org/"))),
    0.0123,
)


@pytest.mark.spec("ENC-CLI-10")
def test_an_outcome_in_a_stream(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Landing(Output(stream=True, streams=pipe), Stop()).seen(OUTCOME)
    told = json.loads(pipe[0].getvalue())
    assert told == {
        "event": "source",
        "source": "notes",
        "status": "ok",
        "results": 2,
        "ms": 12,
        "reason": "",
        "optional": False,
        "hits": [
            {"rank": 1, "title": "Keys", "url": None, "path": "keys.md"},
            {"rank": 2, "title": "Web", "url": "https://example.org/"},
        ],
    }


@pytest.mark.spec("ENC-CLI-10")
def test_outside_a_stream_nothing_is_printed_before_the_end(pipe: tuple[io.StringIO, io.StringIO]) -> None:
    Landing(Output(streams=pipe), Stop()).seen(OUTCOME)
    assert pipe[0].getvalue() == ""


@pytest.mark.spec("ENC-CLI-13")
def test_a_reader_that_leaves_a_stream_ends_the_search() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    stop = Stop()
    landing = Landing(Output(stream=True, streams=(Closed(), io.StringIO())), stop)
    landing.check()
    landing.seen(OUTCOME)
    landing.seen(OUTCOME)
    assert stop.was_set
    with pytest.raises(BrokenPipeError):
        landing.check()


def test_an_indexing_run_in_words_and_as_json() -> None:
    done = Indexed(added=3, unchanged=40, passages=120, skipped=(("a.bin", "not text"),))
    row = {"name": "notes", **indexed_row(done), "ms": 412}
    assert sentence(row) == "notes: 3 documents added, 40 unchanged, 120 passages in 0.4 s"
    assert row["skipped"] == [{"path": "a.bin", "reason": "not text"}]
    assert sentence({"name": "x", **indexed_row(Indexed()), "ms": 0}) == "x: nothing to do, 0 passages in 0.0 s"


@pytest.mark.parametrize(
    ("text", "weights"),
    [(None, None), ("", {}), ("library_docs=0.4", {"library_docs": 0.4}), (" a=1 , b=.5,", {"a": 1.0, "b": 0.5})],
)
def test_weights_on_the_command_line(text: str | None, weights: dict[str, float] | None) -> None:
    assert parse_serves(text) == weights


@pytest.mark.parametrize("text", ["library_docs", "library_docs=", "=", "a=b"])
def test_wrong_weights(text: str) -> None:
    with pytest.raises(UsageError, match="--serves"):
        parse_serves(text)
