"""Decision records say how they stand, in either form, and outdated ones are shown with that."""

from __future__ import annotations

import shutil

import pytest

from encyclopedia_adapters.local import markdown
from encyclopedia_adapters.local.documents import KIND
from encyclopedia_adapters.local.documents.records import record
from tests.adapters.local.documents.shelf import FIXTURES, Shelf


@pytest.mark.spec("ENC-DOCS-23")
@pytest.mark.parametrize(
    ("text", "status", "date"),
    [
        ("---\nstatus: accepted\ndate: 2024-03-01\n---\n# A\ntext", "accepted", "2024-03-01"),
        ('---\nstatus: "superseded by [ADR-5](5.md)"\n---\n# A', "superseded", ""),
        ("---\nstatus: in progress\n---\n# A", "in-progress", ""),
        ("---\nstatus: {proposed | rejected | accepted}\n---\n# A", "", ""),
        ('---\nstatus: "proposed | rejected"\n---\n# A', "", ""),
        ("# 1. A\n\nDate: 2021-08-10\n\n## Status\n\nAccepted\n\n## Context\n\nx", "accepted", "2021-08-10"),
        ("# 1. A\n\n## Status\n\nSuperseded by [2. B](2.md)\n\n## Context\n\nx", "superseded", ""),
        ("# A\n\n* Status: deprecated\n* Date: 2020-02-30\n\n## Context\n\nx", "deprecated", ""),
        ("# A\n\n## Status\n\nWe do not know.\n", "", ""),
        ("# A\n\nThe status: accepted is a word.\n", "", ""),
    ],
)
def test_status_and_date_are_read_in_every_form(text, status, date):
    assert record(markdown.parse(text)) == (status, date)


@pytest.fixture
def decisions(tmp_path):
    shutil.copytree(FIXTURES / "adr-govuk", tmp_path / "notes")
    return Shelf(tmp_path)


@pytest.mark.spec("ENC-DOCS-23")
def test_the_status_is_a_scope(decisions):
    decisions.index()
    tags = dict(KIND.report(decisions.corpus).tags)
    assert (tags["status"], tags["status/accepted"], tags["status/deprecated"]) == (25, 23, 1)
    assert decisions.paths("kibana logs", tags=("status/deprecated",)) == [
        "0007-use-fluentbit-elasticsearch-and-kibana-for-application-logs.md"
    ]


@pytest.mark.spec("ENC-DOCS-23")
def test_an_outdated_decision_is_shown_and_said_to_be_one(decisions):
    reply = decisions.ask("fluentbit elasticsearch kibana application logs")
    assert reply.hits[0].locator.path == "0007-use-fluentbit-elasticsearch-and-kibana-for-application-logs.md"
    assert reply.note == "0007-use-fluentbit-elasticsearch-and-kibana-for-application-logs.md is deprecated"
    assert decisions.ask("aws eks terraform module", limit=1).hits[0].published == "2021-08-10"


@pytest.mark.spec("ENC-DOCS-23")
def test_records_in_the_form_of_madr_are_cut_at_their_options(tmp_path):
    shutil.copytree(FIXTURES / "adr-madr", tmp_path / "notes")
    hit = Shelf(tmp_path).ask("YAML front matter metadata chosen option", limit=1).hits[0]
    assert hit.locator.path == "0013-use-yaml-front-matter-for-meta-data.md"
