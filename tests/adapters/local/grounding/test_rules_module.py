"""Rules in Python: run by ``ground`` alone, from exactly the file beside the manifest, and never for longer than promised."""

from __future__ import annotations

import os

import pytest

from encyclopedia_adapters.local.grounding import KIND
from encyclopedia_adapters.local.grounding.decision_engine import ground, search_domain
from encyclopedia_adapters.local.grounding.rules_module import RulesError, run_rules
from tests.adapters.local.grounding.corpus import changed, loaded

GOOD = """\
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Rule:
    name: "str"

def evaluate(rules, query, context):
    print("thinking about", query)
    held = {name: text for name, text in rules.items() if context.get("all")}
    return {"matched": held | {"custom": query}, "unmatched": {k: v for k, v in rules.items() if k not in held}}
"""
BAD = [
    ("def evaluate(rules, query, context):\n    raise LookupError('gone wrong')\n", "raised LookupError: gone wrong"),
    ("def evaluate(rules, query, context):\n    raise SystemExit(3)\n", "raised SystemExit"),
    ("import sys\nsys.exit(1)\ndef evaluate(rules, query, context): ...\n", "raised SystemExit"),
    ("import no_such_module_of_anybody\ndef evaluate(a, b, c): ...\n", "raised ModuleNotFoundError"),
    ("def evaluate(rules):\n    return {}\n", "raised TypeError"),
    ("def evaluate(rules, query, context):\n    return None\n", "no object with the objects matched and unmatched"),
    ("def evaluate(rules, query, context):\n    return {'matched': [], 'unmatched': {}}\n", "no object with the objects"),
    ("def evaluate(rules, query, context):\n    return {'matched': {'a': {1, 2}}, 'unmatched': {}}\n", "is no JSON"),
    ("def evaluate(rules, query, context):\n    return {'matched': {'a': float('nan')}, 'unmatched': {}}\n", "is no JSON"),
    ("class evaluate: pass\ndel evaluate\n", "has no evaluate"),
    ("def assess(rules, query, context): ...\n", "defines no evaluate"),
    ("def evaluate(:\n", "cannot be used"),
    ("x = 1\0\n", "cannot be used"),
    ("(" * 5000, "cannot be used"),
]


def with_rules(folder, source, name="own.py", file="own.py"):
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(source)
    return loaded(folder, changed("reasoning.rules_module", name))


@pytest.mark.spec("ENC-GROUND-8")
@pytest.mark.parametrize("name", ["own.py", "own.ts", "own.js", "own.mjs"])
def test_the_python_file_beside_the_manifest_decides(tmp_path, capsys, name):
    made = with_rules(tmp_path, GOOD, name)
    found = ground(made, "monthly report", {"all": True})
    assert found["rules_evaluation"]["matched"]["custom"] == "monthly report"
    assert found["rules_evaluation"]["matched"]["if_many_writers"] == "use a server"
    assert found["rules_evaluation"]["unmatched"] == {}
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "thinking about monthly report\n")


@pytest.mark.spec("ENC-GROUND-8")
def test_it_leaves_no_trace_beside_the_manifest_and_an_edit_counts_at_once(tmp_path):
    made = with_rules(tmp_path, GOOD)
    before = sorted(os.listdir(tmp_path))
    ground(made, "monthly report")
    assert sorted(os.listdir(tmp_path)) == before
    (tmp_path / "own.py").write_text(GOOD.replace('"custom"', '"edited"'))
    assert "edited" in ground(made, "monthly report")["rules_evaluation"]["matched"]


@pytest.mark.spec("ENC-GROUND-8")
@pytest.mark.parametrize(("source", "told"), BAD)
def test_a_module_that_fails_costs_only_the_rules_and_is_told(tmp_path, source, told):
    found = ground(with_rules(tmp_path, source), "monthly report database")
    assert any(told in gap and "no decision rule was evaluated" in gap for gap in found["evidence_gap"]), found["evidence_gap"]
    assert found["rules_evaluation"]["matched"] == {}
    assert found["rules_evaluation"]["unmatched"] == {"if_many_writers": "use a server", "must_backup": "every night"}
    assert found["selections"]["engine"]["best"]["Name"] == "PostgreSQL"


@pytest.mark.spec("ENC-GROUND-8")
def test_a_module_that_hangs_is_left_behind(tmp_path):
    source = "import threading\ndef evaluate(rules, query, context):\n    threading.Event().wait()\n"
    made = with_rules(tmp_path, source)
    with pytest.raises(RulesError, match=r"did not answer within 0\.05 seconds"):
        run_rules(made, {}, "x", {}, 0.05)


@pytest.mark.spec("ENC-GROUND-8")
def test_searching_validating_and_indexing_run_nothing(tmp_path):
    source = "open(__file__ + '.ran', 'w').close()\ndef evaluate(a, b, c):\n    return {'matched': {}, 'unmatched': {}}\n"
    made = with_rules(tmp_path, source)
    search_domain(made, "server")
    verdict = KIND.validate(str(tmp_path))
    assert verdict["valid"]
    assert "own.py, code that comes with the tables: `ground` runs it, nothing else does" in verdict["warnings"]
    assert not (tmp_path / "own.py.ran").exists()
    ground(made, "server")
    assert (tmp_path / "own.py.ran").exists()


@pytest.mark.spec("ENC-GROUND-8", "ENC-GROUND-11")
def test_a_module_that_lies_outside_is_not_run(tmp_path):
    inside, trap = tmp_path / "inside", tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\ndef evaluate(a, b, c): ...\n")
    made = with_rules(inside, GOOD, "linked.py")
    (inside / "linked.py").symlink_to(trap)
    found = ground(made, "report")
    assert any("leads out of the folder" in gap for gap in found["evidence_gap"])
    made["reasoning"]["rules_module"] = "../trap.py"
    assert any("without .." in gap for gap in ground(made, "report")["evidence_gap"])
    made["reasoning"]["rules_module"] = str(trap)
    assert any("must be a path below" in gap for gap in ground(made, "report")["evidence_gap"])
    assert not (tmp_path / "ran").exists()
