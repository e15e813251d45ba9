"""Nothing that lies in a repository harms who reads it."""

import os
import time

import pytest

from encyclopedia_adapters.code.graph_parse import parse
from encyclopedia_adapters.code.graph_worker import Unparsed, Worker
from tests.adapters.code.graphs import PYTHON, graph, one, unpack


@pytest.mark.spec("ENC-GRAPH-7")
@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "go", "rust", "java", "c", "cpp"])
@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe\x00", b"def class ((( {{{ \n\x00\x01", b"import", b"from import *", b"use ;", b"\n" * 99]
)
def test_what_does_not_parse_is_passed_over(language, raw):
    assert parse(language, raw) is not None


@pytest.mark.spec("ENC-GRAPH-7")
def test_around_a_mistake_the_rest_is_found(tmp_path):
    broken = "def good():\n    pass\n\ndef bad(:\n  ((\n\nclass Fine:\n    def there(self):\n        good()\n"
    made = graph(tmp_path, {"a.py": broken})
    assert one(made, "good").first == 1
    assert made.update().skipped == ()


@pytest.mark.spec("ENC-GRAPH-7")
def test_large_binary_and_linked_files_are_left_alone(tmp_path):
    outside = unpack(tmp_path / "outside", {"secret.py": "def secret(): pass\n", "deep/more.py": "def more(): pass\n"})
    root = unpack(
        tmp_path / "repository",
        PYTHON
        | {
            "large.py": b"x = 1\n" * 1_700_000,
            "binary.py": b"\x00\x01def hidden(): pass\n",
            "min.js": b"function mini(){}" * 2000,
            "node_modules/a/i.js": "function foreign() {}\n",
            "env/pyvenv.cfg": "",
            "env/lib/x.py": "def foreign(): pass\n",
            ".hidden/x.py": "def foreign(): pass\n",
        },
    )
    os.symlink(outside / "secret.py", root / "link.py")
    os.symlink(outside / "deep", root / "linked")
    os.symlink(root, root / "circle")
    os.mkfifo(root / "pipe.py")
    made = graph(tmp_path, {})
    skipped = dict(made.update().skipped)
    assert skipped == {
        "binary.py": "no text that somebody wrote",
        "large.py": "larger than 1 MB",
        "link.py": "a link",
        "min.js": "no text that somebody wrote",
    }
    for name in ("secret", "more", "hidden", "mini", "foreign"):
        assert made.find(name) == []
    assert made.files() == len(PYTHON) + 2


@pytest.mark.spec("ENC-GRAPH-8")
def test_what_hangs_a_grammar_costs_only_its_file(tmp_path):
    hostile = {
        "deep.js": b"[[[[[[[[\n" * 30_000,
        "nested.py": b"x = " + b"(\n" * 50_000 + b")" * 50_000,
        "steps.py": b"".join(b" " * at + b"if x:\n" for at in range(500)),
        "good.py": b"def fine():\n    pass\n",
    }
    began = time.monotonic()
    made = graph(tmp_path, hostile)
    assert one(made, "fine").path == "good.py"
    assert dict(made.update().skipped)["deep.js"] == "it was not parsed within 3 s"
    assert time.monotonic() - began < 60  # else it hangs: alone this file takes minutes


@pytest.mark.spec("ENC-GRAPH-8")
def test_a_worker_that_ends_is_started_again():
    with Worker(seconds=10) as worker:
        good = worker.parse("python", "a.py", b"def f(): pass\n")
        assert good["definitions"][0][0] == "f"
        with pytest.raises(Unparsed, match="crashed"):
            worker.parse("no such language", "a.py", b"")
        assert worker.parse("python", "a.py", b"def f(): pass\n") == good
