"""The source `manpages`: names and summaries as an index, the best pages read by a program that may misbehave."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.plan import Request
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Context, Package, Program
from encyclopedia_adapters.local import man_index, man_page, man_program, manpages

ROOT = Path(__file__).parents[3]
WHATIS = """\
pack (1)             - pack and unpack archives
pack (5)             - format of packed archives
pack_open (3)        - open a packed archive
sift (1)             - print lines that hold a pattern
egsift (1)           - print lines that hold a pattern
slumber (1)          - run a program with a time limit
rm, unlink (1)       - remove files from a folder
-evil (1)            - a name like an option
../../etc/passwd (1) - a name like a path
nonsense without a dash
odd - line (1
"""
PACK = """\
PACK(1)                           User Commands                          PACK(1)

N\bNA\bAM\bME\bE
       pack - pack and unpack archives

SYNOPSIS
       pack [-x] [_\bF_\bI_\bL_\bE...]

DESCRIPTION
       Without options the files are put into an archive. The name of the ar\u2010
       chive comes first.

OPTIONS
       -x     Extract the members of a gzip or plain archive.

       -q     Say nothing.

SEE ALSO
       sift(1)

System                            2020-01-01                             PACK(1)
"""
SIFT = """\
SIFT(1)                           User Commands                          SIFT(1)

NAME
       sift, egsift - print lines that hold a pattern

OPTIONS
       -r     Recursive: go  through  all folders.

       -i     Ignore the case of letters.

System                            2020-01-01                             SIFT(1)
"""
SLUMBER = """\
SLUMBER(1)                        User Commands                       SLUMBER(1)

NAME
       slumber - run a program with a time limit

DESCRIPTION
       The session of the client ends when the timeout is over.
"""
PROGRAM = """\
#!/bin/sh
echo "$LC_ALL $MANWIDTH $*" >> "{folder}/calls"
if [ "$1" = -k ]; then cat "{folder}/whatis"; exit 0; fi
[ "$3 $5" = "-s --" ] || exit 3
[ -f "{folder}/$6.$4" ] || exit 16
exec cat "{folder}/$6.$4"
"""


@pytest.fixture
def system(tmp_path):
    """A folder with a program like `man` and its pages."""
    folder = tmp_path / "system"
    folder.mkdir()
    (folder / "whatis").write_text(WHATIS)
    pages = {"pack.1": PACK, "sift.1": SIFT, "egsift.1": SIFT, "slumber.1": SLUMBER, "pack.5": "PACK(5)\n\nNAME\n   pack\n"}
    for name, text in pages.items():
        (folder / name).write_text(text)
    program = folder / "man"
    program.write_text(PROGRAM.format(folder=folder))
    program.chmod(0o755)
    return folder


def source_of(tmp_path, system, stamp="1"):
    return manpages.ManSource(man_index.ManIndex(str(tmp_path / "home")), lambda: stamp, program=str(system / "man"))


def request(text, **fields):
    return Request(text, QueryType.LIBRARY_DOCS, **{"limit": 5, "timeout": 20.0, **fields})


@pytest.mark.spec("ENC-MAN-1")
def test_the_listing_of_the_database_is_understood():
    pages = [(page.label, page.summary) for page in man_index.parse(WHATIS)]
    assert pages[:3] == [
        ("pack(1)", "pack and unpack archives"),
        ("pack(5)", "format of packed archives"),
        ("pack_open(3)", "open a packed archive"),
    ]
    assert ("rm(1)", "remove files from a folder") in pages
    assert ("unlink(1)", "remove files from a folder") in pages
    assert len(pages) == 10


@given(st.text(alphabet="ab ()-,\n", max_size=60))
def test_no_listing_is_too_odd(listing):
    for page in man_index.parse(listing):
        assert page.name
        assert "\n" not in page.label


@pytest.mark.spec("ENC-MAN-2")
async def test_the_page_that_is_called_by_a_word_comes_first(tmp_path, system):
    reply = await source_of(tmp_path, system).search(request("pack extract gzip archive"))
    assert [hit.title for hit in reply.hits] == ["pack(1) — pack and unpack archives"]
    hit = reply.hits[0]
    assert (hit.page, hit.url, hit.version) == ("man:pack(1)", "", "")
    assert (hit.locator.corpus, hit.locator.path, hit.locator.section) == ("manpages", "pack(1)", "OPTIONS")


@pytest.mark.spec("ENC-MAN-3")
async def test_a_hit_shows_name_synopsis_and_the_paragraphs_that_match(tmp_path, system):
    content = (await source_of(tmp_path, system).search(request("pack extract gzip archive"))).hits[0].content
    assert content.startswith("pack - pack and unpack archives\n\npack [-x] [FILE...]")
    assert "-x     Extract the members of a gzip or plain archive." in content
    assert "The name of the archive comes first." in content
    assert "Say nothing" not in content
    assert "\b" not in content


@pytest.mark.spec("ENC-MAN-2")
async def test_a_page_that_only_shares_a_word_or_two_is_no_hit(tmp_path, system):
    source = source_of(tmp_path, system)
    assert (await source.search(request("aiohttp client session timeout"))).hits == ()
    assert (await source.search(request("slumber client session timeout"))).hits[0].page == "man:slumber(1)"
    assert (await source.search(request("run program time limit"))).hits[0].page == "man:slumber(1)"
    assert (await source.search(request("run kubernetes program limit"))).hits == ()


@pytest.mark.spec("ENC-MAN-2")
async def test_a_library_without_a_page_of_its_name_has_none(tmp_path, system):
    source = source_of(tmp_path, system)
    assert (await source.search(request("pack extract archive", library="aiohttp"))).hits == ()
    assert (await source.search(request("pack extract archive", library="Pack"))).hits


async def test_one_text_under_two_names_is_one_hit(tmp_path, system):
    reply = await source_of(tmp_path, system).search(request("sift recursive ignore case pattern"))
    assert [hit.page for hit in reply.hits] == ["man:sift(1)"]


async def test_a_section_may_be_asked_for(tmp_path, system):
    reply = await source_of(tmp_path, system).search(request("pack(5)", limit=1))
    assert [hit.page for hit in reply.hits] == ["man:pack(5)"]


@pytest.mark.parametrize("limit", [1, 2])
async def test_never_more_than_asked_for(tmp_path, system, limit):
    assert len((await source_of(tmp_path, system).search(request("pack archives", limit=limit))).hits) <= limit


@pytest.mark.spec("ENC-MAN-4")
async def test_the_program_gets_a_list_of_arguments_with_the_name_after_dashes(tmp_path, system):
    await source_of(tmp_path, system).search(request("pack; touch owned -evil ../../etc/passwd"))
    calls = (system / "calls").read_text().splitlines()
    assert calls[0] == "C.UTF-8 1000 -k ."
    assert all(call.startswith("C.UTF-8 80 -P cat -s ") and " -- " in call for call in calls[1:])
    assert not [call for call in calls if "evil" in call or "passwd" in call]
    assert not Path("owned").exists()


@pytest.mark.parametrize(
    ("name", "section", "safe"),
    [
        ("tar", "1", True),
        ("git-grep", "1", True),
        ("JSON::PP", "3pm", True),
        ("[", "1", True),
        ("-H", "1", False),
        ("../x", "1", False),
        ("a\nb", "1", False),
        ("", "1", False),
        ("tar", "1 -H", False),
        ("tar", "", False),
    ],
)
def test_which_pages_may_be_asked_for(name, section, safe):
    assert man_program.is_safe(name, section) is safe


@pytest.mark.spec("ENC-MAN-5")
async def test_the_index_is_made_anew_only_when_the_database_changes(tmp_path, system):
    await source_of(tmp_path, system).search(request("pack archives"))
    await source_of(tmp_path, system).search(request("pack archives"))
    assert (system / "calls").read_text().count("-k .") == 1
    (system / "whatis").write_text("novel (1) - a page that is new\n")
    (system / "novel.1").write_text("NOVEL(1)\n\nNAME\n   novel - a page that is new\n")
    assert (await source_of(tmp_path, system, stamp="2").search(request("novel"))).hits[0].page == "man:novel(1)"
    assert (await source_of(tmp_path, system, stamp="2").search(request("pack archives"))).hits == ()
    assert (system / "calls").read_text().count("-k .") == 2


@pytest.mark.spec("ENC-MAN-6")
async def test_without_a_database_there_is_a_note_and_nothing_is_written(tmp_path, system):
    reply = await source_of(tmp_path, system, stamp="").search(request("pack archives"))
    assert (reply.hits, reply.note, reply.reduced) == ((), manpages.NO_DATABASE, "")
    assert not (tmp_path / "home").exists()
    assert not (system / "calls").exists()


@pytest.mark.spec("ENC-MAN-6")
@pytest.mark.parametrize("body", ["exit 1", "exit 16", "kill -9 $$", "printf '\\377\\376'", "exit 0"])
async def test_a_program_that_fails_gives_nothing(tmp_path, system, body):
    (system / "man").write_text(f"#!/bin/sh\n{body}\n")
    assert (await source_of(tmp_path, system).search(request("pack archives"))).hits == ()


async def test_a_program_that_is_not_there_gives_nothing(tmp_path):
    assert await man_program.run_man("-k", ".", timeout=5.0, program=str(tmp_path / "none")) == ""


@pytest.mark.spec("ENC-MAN-7")
async def test_a_program_that_hangs_is_ended_with_its_children(tmp_path, system):
    (system / "man").write_text(f"#!/bin/sh\nsleep 600 & echo $! > '{system}/child'; wait\n")
    assert await man_program.run_man("-k", ".", timeout=0.3, program=str(system / "man")) == ""
    child = int((system / "child").read_text())
    assert await asyncio.to_thread(ended, child)


def ended(child, rounds=2000):
    """Whether the process ends; looks again as long as it takes the system to deliver the signal."""
    for _ in range(rounds):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True, check=False).stdout
        if not state.strip() or state.strip().startswith("Z"):
            return True
    return False


@pytest.mark.spec("ENC-MAN-7")
async def test_a_cancelled_question_ends_the_program(tmp_path, system):
    fifo = system / "started"
    os.mkfifo(fifo)
    (system / "man").write_text(f"#!/bin/sh\necho $$ > '{fifo}'; exec sleep 600\n")
    task = asyncio.create_task(source_of(tmp_path, system).search(request("pack archives")))
    child = int(await asyncio.to_thread(fifo.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended, child)


@pytest.mark.spec("ENC-MAN-7")
async def test_endless_output_is_cut(tmp_path, system):
    (system / "man").write_text("#!/bin/sh\nexec yes 'pack (1) - pack'\n")
    output = await man_program.run_man("-k", ".", timeout=60.0, program=str(system / "man"))
    assert len(output) == man_program.MAX_OUTPUT


def test_the_stamp_follows_the_database(tmp_path):
    assert man_program.database_stamp((str(tmp_path),)) == ""
    (tmp_path / "index.db").write_text("1")
    first = man_program.database_stamp((str(tmp_path),))
    (tmp_path / "index.db").write_text("12")
    assert "" != first != man_program.database_stamp((str(tmp_path),))


PLAIN = [
    ("B\bBo\bol\bld\bd", "Bold"),
    ("_\bu_\bn", "un"),
    ("\x1b[1mname\x1b[0m", "name"),
    ("a hy\u2010\n       phen", "a hyphen"),
    ("wide  spaces  here too", "wide spaces here too"),
    ("-x     keeps its column", "-x     keeps its column"),
    ("plain", "plain"),
]


@pytest.mark.parametrize(("raw", "text"), PLAIN)
def test_pages_are_plain_text(raw, text):
    assert man_page.plain(raw) == text


def test_long_pages_are_cut():
    assert len(man_page.plain("x" * (man_page.MAX_TEXT + 9))) == man_page.MAX_TEXT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how do I extract a tar", {"extract", "tar"}),
        ("what is the", set()),
        ("listing files", {"list", "file"}),
        ("return_exceptions", {"return_exceptions"}),
        ("", set()),
    ],
)
def test_words_that_carry_meaning(text, words):
    assert man_page.content_terms(text) == words


@given(st.text(alphabet="AB ab\n\t()-", max_size=200), st.sets(st.sampled_from(["a", "b", "ab"]), max_size=3))
def test_any_page_gives_an_excerpt(text, terms):
    part = man_page.excerpt(text, terms)
    assert part.held <= terms
    assert len(part.text) <= man_page.OPENING + 2 * man_page.BEST + 2 * len(text)


def test_the_excerpt_is_bounded_and_in_the_order_of_the_page():
    options = "".join(f"       -{letter}     frob the {letter} knob {'very ' * 60}\n\n" for letter in "abcdefghijklmnop")
    part = man_page.excerpt(f"X(1)\n\nNAME\n       x - frobs\n\nOPTIONS\n{options}", {"frob", "knob"})
    assert part.held == {"frob", "knob"}
    assert part.section == "OPTIONS"
    assert part.text.index("-a ") < part.text.index("-b ")
    assert len(part.text) < 2 * man_page.BEST + man_page.OPENING


def test_another_process_at_the_same_index_is_no_error(tmp_path):
    index = man_index.ManIndex(str(tmp_path))
    with index.text.update():
        assert index.rebuild([man_index.Page("a", "1", "b")], "1", wait=0.0) is False
    assert index.rebuild([man_index.Page("a", "1", "b")], "1") is True
    assert index.is_current("1")
    assert index.has("A")
    assert not index.has("b")


def test_commands_stand_before_formats_and_calls(tmp_path):
    index = man_index.ManIndex(str(tmp_path))
    index.rebuild([man_index.Page("print", section, "print") for section in ("3", "2", "5", "8", "1")], "1")
    assert [page.section for page in index.find("print", 5)] == ["1", "8", "5", "2", "3"]
    assert [page.named for page in index.find("how to print", 1)] == [2, None]


def test_the_card_says_what_it_is(tmp_path):
    card = manpages.CARD
    assert card.serves == {QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15}
    assert card.requires == (Program("man"), Package("tantivy"))
    context = Context("manpages", str(tmp_path), "agent", 5.0, resources=None, secret=str)
    assert card.state(context) in (manpages.NO_DATABASE, "0 manual pages indexed; the next search brings them up to date")
    assert isinstance(card.make(context), manpages.ManSource)
    assert not list(tmp_path.iterdir())


def test_loading_the_module_loads_nothing_heavy():
    code = "import sys; sys.path[:0] = sys.argv[1:]; import encyclopedia_adapters.local.manpages; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(ROOT / "adapters")], capture_output=True, text=True, check=True
    )
    assert not {"tantivy", "Stemmer", "asyncio", "subprocess", "logging"} & set(run.stdout.split())


@pytest.mark.spec("ENC-MAN-2")
async def test_the_pages_of_this_system(tmp_path):
    context = Context("manpages", str(tmp_path), "agent", 5.0, resources=None, secret=str)
    report = await asyncio.to_thread(manpages.index, context, lambda *_: None)
    state = manpages.state(context)
    assert report.passages == (0 if state == manpages.NO_DATABASE else int(state.split()[0]))
    source = manpages.make(context)
    pages = [hit.page for hit in (await source.search(request("tar extract gzip archive"))).hits]
    if source._index.has("tar"):
        assert pages[0] == "man:tar(1)"
    else:  # a system without manual pages, or without this one
        assert "man:tar(1)" not in pages
    assert (await source.search(request("aiohttp client session timeout"))).hits == ()
