"""What is asked for stands high among the passages of packages: labelled questions, and single rules."""

import pytest

from benchmarks import ranking
from encyclopedia_adapters.local import package_rank
from encyclopedia_adapters.local.package_index import PackageIndex
from encyclopedia_adapters.local.package_search import PackageSearch, _owners
from encyclopedia_adapters.shared.text_index import Match
from encyclopedia_adapters.shared.text_index.coverage import ENOUGH

BESIDE = ("setuptools", "mypy", "pip", "python/distutils", "python/_sqlite3", "python/_io", "python/_collections", "python/io")
"""What is installed almost everywhere and has a name for everything."""
# One question for each kind of fault that a first result once showed.
FIRST = {
    "rich Table": "rich.table.Table",
    "class Table rich": "rich.table.Table",
    "argparse subcommands": "argparse.ArgumentParser.add_subparsers",
    "load .env file": "dotenv.load_dotenv",
    "load_dotenv": "dotenv.load_dotenv",
    "difference between deepcopy and copy": "copy.deepcopy",
    "asyncio gather return_exceptions": "asyncio.gather",
    "aiohttp ClientSession post": "aiohttp.ClientSession.post",
    "structlog json renderer": "structlog.processors.JSONRenderer",
    "functools partial": "functools.partial",
    "asyncio.Task.cancel": "asyncio.Task.cancel",
    "sqlite3 Row": "sqlite3.Row",
    "json.dumps": "json.dumps",
    "subprocess.run": "subprocess.run",
    "functools lru_cache": "functools.lru_cache",
    "str.split": "builtins.str.split",
    "re.sub": "re.sub",
    "itertools groupby": "itertools.groupby",
    "contextlib suppress": "contextlib.suppress",
    "tempfile": "tempfile",
}


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    """Everything that the answers come from, and what is apt to stand before them."""
    index = PackageIndex(str(tmp_path_factory.mktemp("ranking")))
    answers = {name for case in ranking.cases() for name in case.answers} | set(FIRST.values())
    tops = {name.partition(".")[0] for name in answers}
    renamed = {"dotenv": "python-dotenv", "os": "python/posixpath", "attr": "attrs"}
    wanted = {renamed.get(top, top) for top in tops} | {f"python/{top}" for top in tops} | set(BESIDE)
    units = [unit for name, unit in index.units().items() if name in wanted]
    index.bring(units, lambda: None, done=lambda _: None)
    return PackageSearch(index)


@pytest.fixture(scope="module")
def titles(search):
    units = search.index.units()
    owners = _owners(units, search.index.states())

    def found(request):
        question = package_rank.wanted(request.text, owners, request.library)
        return [hit.title for hit in search._found(request.text, question, units, request)]

    return found


@pytest.mark.spec("ENC-PKG-12")
@pytest.mark.parametrize(("half", "least"), [("tune", 0.8), ("kept", 0.62)])
def test_labelled_questions_keep_their_mean_reciprocal_rank(tmp_path, titles, half, least):
    cases = [case for case in ranking.cases() if case.half == half]
    assert len(cases) >= 30
    assert ranking.measure(ranking.requests(str(tmp_path), cases), titles).mrr >= least


@pytest.mark.spec("ENC-PKG-23")
@pytest.mark.parametrize(("text", "answer"), FIRST.items())
def test_the_thing_itself_is_first(tmp_path, titles, text, answer):
    ((_, request),) = ranking.requests(str(tmp_path), [ranking.Case(text, "", frozenset())])
    assert titles(request)[0] == answer


def match(title, document="lib", kind="class", score=10.0):
    return Match(title, document, score, title, "", {"kind": kind})


def first(text, *matches, owners=None):
    question = package_rank.wanted(text, owners or {})
    return package_rank.ranked(matches, question, lambda _: 1.0)[0].title


@pytest.mark.spec("ENC-PKG-23")
@pytest.mark.parametrize(
    ("text", "better", "worse"),
    [
        ("rich table", match("rich.table.Table"), match("rich.cells.CellTable", score=12)),
        ("Table", match("a.Table"), match("b.table", score=11)),
        ("circuit breaker listener", match("p.CircuitBreakerListener"), match("p.CircuitBreaker")),
        ("url safe encode", match("b.urlsafe_encode"), match("b.encode_thing", score=11)),
        ("load .env", match("d.load_dotenv"), match("p.load_file", score=12)),
        ("class table", match("a.table.Table"), match("a.Class", score=11)),
        ("parse", match("a.parse"), match("a._private.parse", score=14)),
        ("parse", match("a.parse", "python/a"), match("b.parse", "python/distutils", score=11)),
    ],
)
def test_whose_name_is_asked_for_goes_before_whose_name_is_like_it(text, better, worse):
    assert first(text, worse, better) == better.title


@pytest.mark.spec("ENC-PKG-24")
def test_of_another_library_than_the_named_one_more_is_wanted_and_our_own_code_is_silent():
    acme = package_rank.wanted("acme gears", {"acme": {"acme"}})
    assert answers(acme, ("acme", ENOUGH - 0.1), ("other", ENOUGH + 0.1), ("third", 0.8)) == ["acme", "third"]
    assert answers(acme, ("acme", 0.2)) == []
    assert answers(acme, ("acme", 0.2), sure=True) == ["acme"]
    nobody = package_rank.wanted("gears", {})
    assert answers(nobody, ("other", ENOUGH), ("third", ENOUGH - 0.01), ("encyclopedia-search", 1.0)) == ["other"]
    ours = package_rank.wanted("encyclopedia", {"encyclopedia": {"encyclopedia-search"}})
    assert answers(ours, ("encyclopedia-search", 1.0)) == ["encyclopedia-search"]


@pytest.mark.spec("ENC-PKG-24")
def test_of_a_library_that_is_surely_meant_only_what_comes_near_the_best_is_given():
    acme = package_rank.wanted("acme gears", {"acme": {"acme"}})
    shares = {"acme.Best": 0.3, "acme.Near": 0.16, "acme.Far": 0.1}
    found = package_rank.answers([match(title, "acme") for title in shares], acme, lambda m: shares[m.title], sure=True)
    assert [m.title for m in found] == ["acme.Best", "acme.Near"]


def answers(question, *documents, sure=False):
    shares = dict(documents)
    matches = [match(f"{document}.Gear", document) for document in shares]
    return [m.document for m in package_rank.answers(matches, question, lambda m: shares[m.document], sure=sure)]
