"""From a query to a table, a rule and rows; every output says how sure it is and what it lacks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from encyclopedia_adapters.local.grounding import decision_engine
from encyclopedia_adapters.local.grounding.decision_engine import (
    detect_domain,
    evaluate_rules,
    ground,
    persist_grounding,
    search_domain,
    search_stack,
)
from encyclopedia_adapters.local.grounding.rules import preferred, rule_for
from encyclopedia_adapters.local.grounding.schema_validator import ManifestError
from tests.adapters.local.grounding.corpus import ENGINES, RULES, changed, loaded, without

SEARCH = ["domain", "query", "file", "count", "results", "scores", "filtered_from", "confidence", "evidence_gap"]
GROUND = ["domain", "query", "category", "rule", "rules_evaluation", "selections", "confidence", "evidence_gap"]


@pytest.fixture
def tables(tmp_path):
    return loaded(tmp_path)


@pytest.mark.spec("ENC-GROUND-2")
def test_the_names_of_the_first_contract_are_there():
    names = {"detect_domain", "search_domain", "search_stack", "evaluate_rules", "ground", "persist_grounding"}
    assert names <= set(decision_engine.__all__)


@pytest.mark.spec("ENC-GROUND-5")
@pytest.mark.parametrize(
    ("query", "domain"),
    [
        ("which database engine", "engine"),
        ("a need and a wish", "need"),
        ("NEED", "need"),
        ("needless engines", "engine"),  # whole words only, and so the default
        ("database wish", "engine"),  # of equals the first
        ("c# or something", "engine"),
        ("", "engine"),
    ],
)
def test_the_domain_is_the_one_whose_keywords_are_spoken(tables, query, domain):
    assert detect_domain(tables, query) == domain


@pytest.mark.spec("ENC-GROUND-5")
def test_without_a_default_the_first_domain_is_taken(tables):
    assert detect_domain({"domains": tables["domains"]}, "nothing") == "engine"
    assert detect_domain({**tables, "default_domain": "need"}, "nothing") == "need"
    assert detect_domain({**tables, "detect": {"_stack": ["nothing"]}}, "nothing") == "engine"


@pytest.mark.spec("ENC-GROUND-2")
def test_a_search_has_the_shape_of_the_contract(tables):
    found = search_domain(tables, "embedded database", "engine")
    assert list(found) == SEARCH
    assert found["results"][0] == {
        "Name": "SQLite",
        "Keywords": "embedded database transactions single writer",
        "Level": "MEDIUM",
    }
    assert found["confidence"].keys() == {"label", "score"}
    assert (found["file"], found["filtered_from"]) == ("engines.csv", 4)
    stack = search_stack(tables, "close connection", "python")
    assert list(stack) == ["domain", "stack", *SEARCH[1:]]
    assert (stack["stack"], stack["results"][0]["Do"]) == ("python", "with closing(...)")


@pytest.mark.spec("ENC-GROUND-3")
def test_filters_of_the_domain_hold_beside_those_of_the_call(tmp_path):
    made = loaded(tmp_path, changed("domains.engine.filters", {"Level": "high"}))
    assert [row["Name"] for row in search_domain(made, "server", "engine")["results"]] == ["Redis", "PostgreSQL"]
    narrowed = search_domain(made, "server", "engine", filters={"Name": "post"})
    assert [row["Name"] for row in narrowed["results"]] == ["PostgreSQL"]
    other = search_domain(made, "database", "engine", filters={"Level": "medium"})
    assert [row["Name"] for row in other["results"]] == ["SQLite"]


@pytest.mark.spec("ENC-GROUND-3")
def test_filters_that_leave_nothing_are_told_and_never_widened(tables):
    found = search_domain(tables, "server", "engine", filters={"Level": "none such"})
    assert (found["count"], found["results"], found["filtered_from"]) == (0, [], 4)
    assert found["confidence"] == {"label": "low", "score": 0.0}
    assert "Level=none such, which is not widened" in found["evidence_gap"][0]
    unknown = search_domain(tables, "server", "engine", filters={"Colour": "red"})
    assert unknown["evidence_gap"][0] == "engines.csv has no column 'Colour'"


@pytest.mark.spec("ENC-GROUND-4")
@pytest.mark.parametrize(
    ("score", "label", "number", "gap"),
    [
        (4.0, "high", 0.4, ""),
        (25.0, "high", 1.0, ""),
        (3.99, "medium", 0.399, ""),
        (1.5, "medium", 0.15, ""),
        (1.49, "low", 0.149, "hint"),
    ],
)
def test_confidence_follows_the_best_score(score, label, number, gap):
    from encyclopedia_adapters.local.grounding.confidence import Asked, weigh

    found = weigh({"scores": [score], "file": "x.csv", "filtered_from": 9}, Asked("x", "word", "bm25", {}))
    assert found["confidence"] == {"label": label, "score": number}
    assert bool(found["evidence_gap"]) == bool(gap)
    assert gap in " ".join(found["evidence_gap"])


@pytest.mark.spec("ENC-GROUND-4")
def test_each_kind_of_gap_is_told(tables):
    def gap(query, **options):
        return " ".join(search_domain(tables, query, "engine", **options)["evidence_gap"])

    assert "no row of engine (4 rows) matched" in gap("zebra")
    assert "no word of three letters" in gap("db ui")
    assert "filters alone chose them" in gap("x", retriever="structured")
    assert "unknown domain 'motor'; there are engine, need" in search_domain(tables, "x", "motor")["evidence_gap"]
    assert "unknown stack 'ruby'; there are python" in search_stack(tables, "x", "ruby")["evidence_gap"]
    os.remove(os.path.join(tables["_manifest_dir"], "engines.csv"))
    found = search_domain(tables, "server", "engine")
    assert (found["error"], found["evidence_gap"]) == ("engines.csv is not there", ["engines.csv is not there"])
    assert list(found)[-2:] == SEARCH[-2:]


@pytest.mark.spec("ENC-GROUND-7")
@pytest.mark.parametrize(
    ("query", "context", "matched"),
    [
        ("a data heavy view", {}, {"if_data_heavy"}),
        ("heavy on data", {}, {"if_data_heavy"}),
        ("datasets that are heavy", {}, {"if_data_heavy"}),
        ("luxury", {}, set()),  # "ux" is no word of it
        ("ux", {}, {"if_ux"}),
        ("", {"data_heavy": True}, {"if_data_heavy"}),
        ("", {"data_heavy": False, "ux": 0}, set()),
        ("", {"plain": "yes"}, {"plain"}),
    ],
)
def test_a_rule_holds_by_a_flag_or_by_the_words_of_the_query(query, context, matched):
    rules = {"if_data_heavy": "A", "if_ux": "B", "plain": "C", "if_": "D", "must_backup": "E"}
    found = evaluate_rules(rules, query, context)
    assert found["matched"].keys() == matched | {"must_backup"}
    assert found["matched"] | found["unmatched"] == rules


@pytest.mark.spec("ENC-GROUND-7")
@pytest.mark.parametrize(
    ("category", "rule", "loosely"),
    [
        ("audit", "Audit log/trail", False),
        ("Audit log/trail for banks", "Audit log/trail", False),
        ("the trail", "Audit log/trail", True),
        ("GENERAL", "General", False),
        ("xyz", None, False),
    ],
)
def test_the_rule_of_a_category_is_found_by_name_by_part_or_by_word(category, rule, loosely):
    rows = [{"Need": "&"}, {"Need": "Audit log/trail"}, {"Need": "General"}, {"Need": ""}]
    found = rule_for(rows, "Need", category)
    assert (found.row.get("Need"), found.loosely) == (rule, loosely)


@pytest.mark.spec("ENC-GROUND-7")
def test_the_preferred_row_is_named_or_fits_best():
    rows = [{"N": "One", "K": "blue", "O": ""}, {"N": "Two", "K": "red", "O": ""}, {"N": "", "K": "", "O": "green"}]
    assert preferred(rows, ["two"], "N", ["K"]) is rows[1]
    assert preferred(rows, ["Twofold"], "N", ["K"]) is rows[1]
    assert preferred(rows, ["red", "blue"], "", ["K"]) is rows[0]
    assert preferred(rows, ["green"], "N", ["K"]) is rows[2]
    assert preferred(rows, ["green", "red"], "N", ["K"]) is rows[1]
    assert preferred(rows, ["none"], "N", ["K"]) is rows[0]
    assert preferred([], ["two"], "N", ["K"]) == {}


@pytest.mark.spec("ENC-GROUND-7")
def test_a_query_is_grounded_by_category_rule_and_plan(tables):
    found = ground(tables, "monthly report with totals", {"many_writers": True})
    assert list(found) == GROUND
    assert (found["domain"], found["category"]) == ("storage", "Reporting")
    assert found["rule"] == {"Need": "Reporting", "Wishes": "PostgreSQL + SQLite", "Note": "slow is fine"}
    assert found["rules_evaluation"]["matched"] == {"if_many_writers": "use a server", "must_backup": "every night"}
    assert found["selections"]["engine"]["best"]["Name"] == "PostgreSQL"
    assert [row["Name"] for row in found["selections"]["engine"]["alternatives"]] == ["SQLite"]
    assert list(found["selections"]["need"]) == ["best", "alternatives", "confidence"]
    weakest = min(selection["confidence"]["score"] for selection in found["selections"].values())
    assert found["confidence"]["score"] == weakest
    assert json.loads(json.dumps(found)) == found


@pytest.mark.spec("ENC-GROUND-4")
def test_what_grounding_lacks_is_told_step_by_step(tables):
    found = ground(tables, "zebra crossing")
    gaps = " / ".join(found["evidence_gap"])
    assert "need gave no category for the query: General was taken" in gaps
    assert "Rules of the rule holds no JSON object" in gaps
    assert "no row of engine (4 rows) matched" in gaps
    assert found["selections"]["engine"] == {"best": {}, "alternatives": [], "confidence": {"label": "low", "score": 0.0}}
    assert found["confidence"] == {"label": "low", "score": 0.0}
    loosely = ground(tables, "session cache for logins")
    assert (loosely["category"], loosely["rule"]["Need"]) == ("Session cache", "Session")


@pytest.mark.spec("ENC-GROUND-4")
@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (None, "rules.csv is not there: no rule was asked"),
        (b"\0", "rules.csv cannot be used: it is not text"),
        ("Need,Rules,Wishes\nOther,{},\n", "no rule for the category Reporting"),
        (RULES.replace('"{""if_many', '"[""if_many').replace('night""}"', 'night""]"'), "holds no JSON object"),
        ("Need,Rules,Wishes\nReporting," + "[" * 60_000 + ",\n", "holds no JSON object"),
    ],
)
def test_rules_that_cannot_be_read_cost_only_themselves(tmp_path, rules, told):
    found = ground(loaded(tmp_path, rules=rules), "monthly report database")
    assert any(told in gap for gap in found["evidence_gap"]), found["evidence_gap"]
    assert found["rules_evaluation"] == {"matched": {}, "unmatched": {}}
    assert found["selections"]["engine"]["best"]


@pytest.mark.spec("ENC-GROUND-4")
def test_a_planned_table_that_is_gone_is_a_gap(tmp_path):
    found = ground(loaded(tmp_path, engines=None), "monthly report")
    assert "engine: engines.csv is not there" in found["evidence_gap"]
    assert found["confidence"]["label"] == "low"


@pytest.mark.spec("ENC-GROUND-7")
def test_what_has_no_reasoning_can_only_be_searched(tmp_path):
    made = loaded(tmp_path, without("reasoning") | {"tier": "lookup-only"})
    with pytest.raises(ManifestError, match="can only be searched"):
        ground(made, "report")
    assert search_domain(made, "server")["count"] == 2


@pytest.mark.spec("ENC-GROUND-13")
def test_a_choice_is_written_below_the_given_folder_only(tables, tmp_path):
    out = tmp_path / "out"
    found = ground(tables, "../../Monthly report\0 with\x1b[31m totals/..", {})
    done = persist_grounding(found, out, page="Start page")
    (master, page) = done["created_files"]
    assert done["status"] == "success"
    assert master == str(out / "storage" / "monthly-report-with-31m-totals" / "MASTER.md")
    text = (out / "storage" / "monthly-report-with-31m-totals" / "MASTER.md").read_text()
    assert "PostgreSQL" in text
    assert "must_backup" in text
    assert "\x1b" not in text
    assert sorted(os.listdir(out / "storage" / "monthly-report-with-31m-totals")) == ["MASTER.md", "pages"]
    assert page.endswith("pages/start-page.md")


@pytest.mark.spec("ENC-GROUND-13")
def test_a_page_that_somebody_has_filled_stays_and_the_choice_is_replaced_whole(tables, tmp_path):
    found = ground(tables, "report")
    first = persist_grounding(found, tmp_path / "out", "My Project", "home")
    master, page = first["created_files"]
    for path in (master, page):
        Path(path).write_text("mine")
    again = persist_grounding(found, tmp_path / "out", "My Project", "home")
    assert again["created_files"] == [master]
    assert Path(page).read_text() == "mine"
    assert Path(master).read_text().startswith("# report\n")


@pytest.mark.spec("ENC-GROUND-13")
@pytest.mark.parametrize("name", ["", "..", "/", "...", "😀", "a" * 500, "ü" * 200, "\udcff"])
def test_names_of_files_are_safe_whatever_a_project_is_called(tables, tmp_path, name):
    path = persist_grounding(ground(tables, "report"), tmp_path / "out", name)["created_files"][0]
    assert os.path.realpath(path).startswith(f"{tmp_path}/out/storage/")
    assert path.count("/") == f"{tmp_path}/out/storage/x/MASTER.md".count("/")


@pytest.mark.spec("ENC-GROUND-13")
def test_a_link_that_leads_out_is_refused_and_a_linked_file_is_replaced(tables, tmp_path):
    found, out, victim = ground(tables, "report"), tmp_path / "out", tmp_path / "victim"
    victim.mkdir()
    (victim / "file.md").write_text("untouched")
    out.mkdir()
    (out / "storage").symlink_to(victim)
    with pytest.raises(PermissionError, match="leads out"):
        persist_grounding(found, out)
    assert os.listdir(victim) == ["file.md"]
    (out / "storage").unlink()
    (out / "storage" / "report").mkdir(parents=True)
    (out / "storage" / "report" / "MASTER.md").symlink_to(victim / "file.md")
    persist_grounding(found, out)
    assert (victim / "file.md").read_text() == "untouched"


@pytest.mark.spec("ENC-GROUND-12")
def test_mixed_line_ends_and_marks_in_tables_change_nothing(tmp_path):
    plain = ground(loaded(tmp_path / "a"), "monthly report database")
    mixed = "\ufeff" + ENGINES.replace("\n", "\r\n", 2)
    assert ground(loaded(tmp_path / "b", engines=mixed), "monthly report database") == plain
