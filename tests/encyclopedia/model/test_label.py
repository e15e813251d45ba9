from __future__ import annotations

import pytest

from encyclopedia.model.label import NAMES, Label, named


@pytest.mark.spec("ENC-LABEL-1")
def test_labels_are_ordered_and_known_by_name() -> None:
    assert NAMES == ("public", "internal", "personal", "secret")
    assert Label.PUBLIC < Label.INTERNAL < Label.PERSONAL < Label.SECRET
    assert [named(name.upper()) for name in NAMES] == list(Label)
    assert named(" Personal ") is Label.PERSONAL
    assert named("hidden") is None
