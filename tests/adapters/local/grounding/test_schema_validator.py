"""Every rule of the contract, each with a manifest that breaks it."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.local.grounding import KIND, schema_validator
from encyclopedia_adapters.local.grounding.schema_validator import (
    MANIFEST_VERSION,
    TIERS,
    ManifestError,
    load_manifest,
    resolve_data_path,
    validate_manifest,
)
from encyclopedia_adapters.local.grounding.shape import as_date
from tests.adapters.local.grounding.corpus import DESIGN, ENGINES, MANIFEST, RULES, changed, loaded, manifest, without, write

REFUSED = [
    ([], "must be a JSON object"),
    ("text", "must be a JSON object"),
    *[(without(key), f"{key} is missing") for key in ("manifest_version", "domain", "tier", "domains")],
    *[(without(key), f"{key} is missing") for key in ("owner", "refresh_cadence", "upstream")],
    *[(without(f"upstream.{key}"), f"upstream.{key} is missing") for key in ("repo", "sha", "last_checked")],
    *[(changed("manifest_version", value), "manifest_version") for value in (2, "1", True, None, 0)],
    *[(changed("tier", value), "tier") for value in ("strict", "", None, ["lookup-only"])],
    (changed("tier", "lookup-only"), "reasoning is there, and the tier is lookup-only"),
    *[
        (changed(key, value), f"{key} must be a text")
        for key in ("owner", "refresh_cadence", "domain")
        for value in ("", " ", 7)
    ],
    *[(changed(f"upstream.{key}", ""), f"upstream.{key} must be a text") for key in ("repo", "sha", "last_checked")],
    *[(changed("upstream.last_checked", value), "no date") for value in ("yesterday", "2026-13-01", "01.02.2026", "20260131")],
    (changed("upstream", "example/tables"), "upstream must be an object"),
    *[(changed("domains", value), "domains must be an object with at least one") for value in ({}, [], "engine", None)],
    (changed("domains.engine", "engines.csv"), "domains.engine must be an object"),
    *[(without(f"domains.engine.{key}"), f"engine.{key} is missing") for key in ("file", "search_cols", "output_cols")],
    *[(changed("domains.engine.search_cols", value), "list of column names") for value in ([], "Name", [""], [1])],
    *[(changed("domains.engine.max_results", value), "max_results") for value in (0, -1, 1.5, "3", True, None)],
    *[
        (changed("domains.engine.filters", value), "filters must be")
        for value in ([], "Level=HIGH", {"Level": None}, {"Level": []})
    ],
    (changed("default_domain", "engines"), "default_domain 'engines' is no domain"),
    (changed("default_domain", ["engine"]), "is no domain"),
    (changed("retriever", "dense"), "retriever 'dense' is none of bm25, structured, hybrid"),
    (changed("retriever", ["bm25"]), "retriever"),
    (changed("detect", ["engine"]), "detect must be an object"),
    (changed("detect.engines", ["x"]), "detect.engines is no domain"),
    (changed("detect.engine", "database"), "detect.engine must be a list of keywords"),
    (changed("detect.engine", ["ok", 3]), "detect.engine must be a list of keywords"),
    (changed("stacks", ["python"]), "stacks must be an object"),
    (changed("stacks.python", 3), "stacks.python 3 must be a path"),
    (without("stack_cols"), "stack_cols is missing"),
    (without("stack_cols.output_cols"), "stack_cols.output_cols is missing"),
    (changed("reasoning", "rules.csv"), "reasoning must be an object"),
    *[(without(f"reasoning.{key}"), f"reasoning.{key} is missing") for key in ("file", "match_column", "plan")],
    (changed("reasoning.plan", {}), "reasoning.plan must be"),
    (changed("reasoning.plan", ["engine"]), "reasoning.plan must be"),
    (changed("reasoning.plan.engines", 2), "reasoning.plan.engines is no domain"),
    *[(changed("reasoning.plan.engine", value), "reasoning.plan.engine") for value in (0, "3", True)],
    (changed("reasoning.name_columns.engines", "Name"), "reasoning.name_columns.engines is no domain"),
    (changed("reasoning.name_columns.engine", 3), "reasoning.name_columns.engine 3 is not the name of a column"),
    (changed("reasoning.category_domain", "needs"), "category_domain 'needs' is no domain"),
    (changed("reasoning.priority_domain", "engines"), "priority_domain 'engines' is no domain"),
    (changed("reasoning.category_column", "Words"), "category_column 'Words' is no output column of need"),
    (changed("reasoning.rules_column", ""), "reasoning.rules_column must be a text"),
    (changed("default_category", 3), "default_category must be a text"),
    *[
        (changed(place, path), "must be a path below the manifest")
        for place in ("domains.engine.file", "stacks.python", "reasoning.file", "reasoning.rules_module", "data_dir")
        for path in (
            "/etc/passwd",
            "../engines.csv",
            "a/../../b.csv",
            "..",
            "..\\b.csv",
            "C:\\b.csv",
            "\\\\host\\b.csv",
            "",
            "a\0b",
            7,
        )
    ],
]
TABLES = [
    ({"engines": None}, None, "engines.csv is not there"),
    ({"stacks/python": None}, None, "stacks/python.csv is not there"),
    ({"rules": None}, None, "rules.csv is not there"),
    ({"engines": "Name,Keywords\nx,y\n"}, None, "engines.csv has no column 'Level', which domains.engine.output_cols names"),
    ({"engines": "Name,Level\nx,y\n"}, None, "no column 'Keywords', which domains.engine.search_cols names"),
    ({"stacks/python": "Guideline\nx\n"}, None, "no column 'Do', which stack_cols.output_cols names"),
    (
        {"rules": RULES.replace("Wishes", "Hopes")},
        None,
        "rules.csv has no column 'Wishes', which reasoning.priority_column names",
    ),
    ({"rules": RULES.replace("Need", "Wish", 1)}, None, "no column 'Need', which reasoning.match_column names"),
    ({"rules": RULES.replace("Rules", "Laws")}, None, "no column 'Rules', which reasoning.rules_column names"),
    ({}, changed("domains.engine.filters", {"Price": "low"}), "no column 'Price', which domains.engine.filters names"),
    ({}, changed("reasoning.name_columns.engine", "Title"), "no column 'Title', which reasoning.name_columns.engine names"),
    ({"engines": ENGINES.replace("Keywords", "Name")}, None, "engines.csv has two columns 'Name'"),
    ({"engines": b"\0\0"}, None, "engines.csv: it is not text"),
    ({"engines": b""}, None, "engines.csv: it has no header line"),
    ({}, changed("reasoning.rules_module", "rules.ts"), "rules_module rules.py is not there"),
]
WARNED = [
    ({"engines": ENGINES + "short\n"}, "engines.csv, line 6: a row of 1 cells, 2 missing at its end count as empty"),
    ({"engines": ENGINES + "a,b,c,d,e\n"}, "engines.csv, line 6: a row of 5 cells, 2 beyond the header are left out"),
    ({"engines": ENGINES + '"a\nb,c,d\n'}, "is a quotation mark missing?"),
    ({"engines": "Name,Keywords,Level\n"}, "engines.csv, below its header: no rows"),
    ({"engines": b"Name,Keywords,Level\nCaf\xe9,x,y\n"}, "engines.csv, somewhere: bytes that are not UTF-8 cannot be read"),
    ({}, "rules.csv, line 4: Rules holds no JSON object"),
]


@pytest.mark.spec("ENC-GROUND-2")
def test_the_names_of_the_first_contract_are_there():
    wanted = {"load_manifest", "validate_manifest", "resolve_data_path", "ManifestError", "MANIFEST_VERSION", "TIERS"}
    assert wanted <= set(schema_validator.__all__)
    assert MANIFEST_VERSION == 1
    assert TIERS == ("lookup-only", "conditional-grounding", "constraint-emission")
    assert issubclass(ManifestError, ValueError)


@pytest.mark.spec("ENC-GROUND-9")
@pytest.mark.parametrize(
    "made", [MANIFEST, manifest(tier="constraint-emission"), manifest(more={"a": 1}, detect={"_stack": ["x"]})]
)
def test_a_manifest_that_keeps_the_contract_is_taken(made):
    assert validate_manifest(made) == []


@pytest.mark.spec("ENC-GROUND-9")
def test_a_table_to_look_up_needs_no_reasoning():
    made = without("reasoning") | {"tier": "lookup-only"}
    assert validate_manifest(made) == []


@pytest.mark.spec("ENC-GROUND-9")
@pytest.mark.parametrize(("made", "told"), REFUSED)
def test_each_rule_refuses_what_breaks_it(tmp_path, made, told):
    errors = validate_manifest(made)
    assert any(told in error for error in errors), errors
    (tmp_path / "manifest.json").write_text(json.dumps(made))
    with pytest.raises(ManifestError):
        load_manifest(tmp_path)
    verdict = KIND.validate(str(tmp_path))
    assert (verdict["valid"], verdict["errors"]) == (False, errors)


@pytest.mark.spec("ENC-GROUND-9")
def test_all_that_is_wrong_is_told_at_once():
    errors = validate_manifest(changed("owner", "") | {"tier": "x", "retriever": "y", "default_domain": "z"})
    assert len(errors) == 4


@pytest.mark.spec("ENC-GROUND-9")
@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a":' * 100_000, "not JSON"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b"{}" + b" " * 2_000_000, "larger than 2 MB"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path, raw, told):
    (tmp_path / "manifest.json").write_bytes(raw)
    with pytest.raises(ManifestError, match=told):
        load_manifest(tmp_path / "manifest.json")


@pytest.mark.spec("ENC-GROUND-9")
def test_a_manifest_that_is_not_there_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "manifest.json", tmp_path / "no" / "manifest.json"):
        with pytest.raises(ManifestError, match="is not there"):
            load_manifest(path)


@pytest.mark.spec("ENC-GROUND-9")
def test_a_hostile_manifest_makes_no_endless_message(tmp_path):
    made = manifest(domains={f"d{number}": {} for number in range(5000)}, default_domain="x" * 100_000)
    (tmp_path / "manifest.json").write_text(json.dumps(made))
    with pytest.raises(ManifestError, match=r"and 1\d+ more") as raised:
        load_manifest(tmp_path)
    assert len(str(raised.value)) < 5000


@pytest.mark.spec("ENC-GROUND-9")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["engine", "..", "x.csv"]),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*MANIFEST, "engine", "file"]), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    st.sampled_from(
        [*MANIFEST, "domains.engine", "reasoning.plan", "detect.engine", "upstream.repo", "domains.engine.filters"]
    ),
)
def test_no_value_anywhere_breaks_the_validator(value, place):
    assert isinstance(validate_manifest(value), list)
    assert isinstance(validate_manifest(changed(place, value)), list)


@pytest.mark.spec("ENC-GROUND-10")
@pytest.mark.parametrize(("files", "made", "told"), TABLES)
def test_tables_are_held_against_the_manifest(tmp_path, files, made, told):
    write(tmp_path, made, **files)
    verdict = KIND.validate(str(tmp_path))
    assert any(told in error for error in verdict["errors"]), verdict
    assert not verdict["valid"]
    assert validate_manifest(load_manifest(tmp_path)) == verdict["errors"]


@pytest.mark.spec("ENC-GROUND-10")
@pytest.mark.parametrize(("files", "told"), WARNED)
def test_what_a_reader_should_know_is_a_warning(tmp_path, files, told):
    verdict = KIND.validate(str(write(tmp_path, **files)))
    assert verdict["valid"]
    assert any(told in warning for warning in verdict["warnings"]), verdict


@pytest.mark.spec("ENC-GROUND-10")
def test_the_published_corpus_is_valid_and_its_ragged_rows_are_told():
    verdict = KIND.validate(str(DESIGN))
    assert (verdict["valid"], verdict["errors"]) == (True, [])
    assert len([warning for warning in verdict["warnings"] if "a row of" in warning]) == 26


@pytest.mark.spec("ENC-GROUND-11")
@pytest.mark.parametrize("path", ["/etc/passwd", "../x.csv", "a/../../x.csv", "..", "", "a\0b", "..\\x.csv", "C:x.csv"])
def test_a_path_out_of_the_folder_is_refused(tmp_path, path):
    made = loaded(tmp_path)
    with pytest.raises(ManifestError):
        resolve_data_path(made, path)
    with pytest.raises(ManifestError):
        resolve_data_path(made | {"data_dir": path or ".."}, "engines.csv")


@pytest.mark.spec("ENC-GROUND-11")
def test_a_link_out_of_the_folder_is_refused(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text(ENGINES)
    made = loaded(inside, engines=None)
    (inside / "engines.csv").symlink_to(outside / "secret.csv")
    (inside / "linked").symlink_to(outside)
    for name in ("engines.csv", "linked/secret.csv"):
        with pytest.raises(ManifestError, match="leads out of the folder"):
            resolve_data_path(made, name)
    with pytest.raises(ManifestError, match="leads out of the folder"):
        resolve_data_path(made | {"data_dir": "linked"}, "secret.csv")
    assert any("leads out" in error for error in KIND.validate(str(inside))["errors"])


@pytest.mark.spec("ENC-GROUND-11")
def test_a_link_within_the_folder_is_followed(tmp_path):
    made = loaded(tmp_path)
    (tmp_path / "same.csv").symlink_to("engines.csv")
    assert resolve_data_path(made, "same.csv") == tmp_path / "engines.csv"
    assert os.fspath(resolve_data_path(made | {"data_dir": "stacks"}, "python.csv")).endswith("/stacks/python.csv")


@pytest.mark.spec("ENC-GROUND-9")
def test_dates_are_written_in_one_way():
    assert str(as_date("2026-01-31")) == "2026-01-31"
    assert [as_date(text) for text in ("2026-02-30", "2026-W05-6", "20260131", None, 3)] == [None] * 5
