from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.settings import Settings
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.settings import Loaded, load, shown, variable
from encyclopedia.wiring.template import template

ROOT = Path(__file__).parents[3]


def loaded(home: Path, file: str = "", environ: dict[str, str] | None = None, flags: dict[str, object] | None = None) -> Loaded:
    if file:
        (home / "config.toml").write_text(file)
    return load(str(home), environment(str(home), environ or {}, str(home)), flags)


def names() -> list[str]:
    found = []
    for name in Settings._fields:
        value = getattr(Settings(), name)
        found += [f"{name}.{inner}" for inner in value._fields] if hasattr(value, "_fields") else [name]
    return [name for name in found if name not in ("sources", "corpora")]


@pytest.mark.spec("ENC-SETTINGS-1")
def test_without_anything_every_setting_has_its_default(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert found.settings == Settings()
    assert set(found.origins.values()) == {"default"}
    assert sorted(found.origins) == sorted(names())


@pytest.mark.spec("ENC-SETTINGS-1")
def test_the_last_to_speak_decides_and_is_remembered(tmp_path: Path) -> None:
    file = "timeout = 1.0\nlimit = 7\n[breaker]\ncooldown = 2\n"
    found = loaded(tmp_path, file, {"ENCYCLOPEDIA_LIMIT": "8", "ENCYCLOPEDIA_CACHE_TTL": "60"}, {"cache.ttl": 5})
    assert (found.settings.timeout, found.origins["timeout"]) == (1.0, "file")
    assert (found.settings.limit, found.origins["limit"]) == (8, "environment")
    assert (found.settings.breaker.cooldown, found.origins["breaker.cooldown"]) == (2.0, "file")
    assert (found.settings.cache.ttl, found.origins["cache.ttl"]) == (5.0, "flag")


@pytest.mark.spec("ENC-SETTINGS-2")
@pytest.mark.parametrize(
    ("file", "environ", "message", "hint"),
    [
        ("timeot = 1", {}, "unknown setting 'timeot' (file)", "did you mean timeout?"),
        ('[source.intranet]\nkind = "json"', {}, "unknown setting 'source.intranet' (file)", "did you mean sources.intranet?"),
        ("[braker]\ncooldown = 1", {}, "unknown setting 'braker.cooldown' (file)", "did you mean breaker.cooldown?"),
        ("", {"ENCYCLOPEDIA_CACHE_TLL": "1"}, "unknown setting ENCYCLOPEDIA_CACHE_TLL", "ENCYCLOPEDIA_CACHE_TTL"),
        ("timeout = -1", {}, "timeout cannot be -1 (file)", "above 0"),
        ("timeout = true", {}, "timeout cannot be True", "a number above 0"),
        ("", {"ENCYCLOPEDIA_TIMEOUT": "nan"}, "timeout cannot be 'nan' (environment)", "a number above 0"),
        ("limit = 2.5", {}, "limit cannot be 2.5", "a whole number"),
        ('[fusion]\nformula = "best"', {}, "fusion.formula cannot be 'best'", "scaled or classic"),
        ("[cache]\nthreshold = 1.5", {}, "cache.threshold cannot be 1.5", "from 0 to 1"),
        ("sources = 3", {}, "sources must hold one table", "[sources.NAME]"),
        ("timeout = ", {}, "is not valid TOML", "mend the line"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_remedy(
    tmp_path: Path, file: str, environ: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(ConfigurationError) as failed:
        loaded(tmp_path, file, environ)
    assert message in failed.value.message
    assert hint in failed.value.hint


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        loaded(tmp_path)


@pytest.mark.spec("ENC-SETTINGS-3")
def test_k_follows_the_formula_unless_it_is_set(tmp_path: Path) -> None:
    assert shown(loaded(tmp_path))["fusion.k"] == 10
    assert shown(loaded(tmp_path, '[fusion]\nformula = "classic"'))["fusion.k"] == 60
    assert shown(loaded(tmp_path, '[fusion]\nformula = "classic"\nk = 7'))["fusion.k"] == 7


def test_tables_of_sources_are_shown_with_their_origin(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[sources.wikipedia]\nbase_url = "http://127.0.0.1:1"\n')
    assert shown(found)["sources.wikipedia.base_url"] == "http://127.0.0.1:1"
    assert found.origins["sources.wikipedia.base_url"] == "file"


@pytest.mark.spec("ENC-SETTINGS-4")
def test_the_shipped_defaults_are_those_of_the_code() -> None:
    text = (ROOT / "config" / "defaults.toml").read_text()
    assert text == template()
    for name in names():
        assert f"# {name.rpartition('.')[2]} = " in text


@pytest.mark.spec("ENC-SETTINGS-4")
def test_the_template_without_its_signs_is_a_valid_file(tmp_path: Path) -> None:
    lines = [
        line[2:] if line.startswith("# ") and ("=" in line or line.startswith("# [")) else line
        for line in template().splitlines()
    ]
    text = "\n".join(line for line in lines if not line.startswith("The environment"))
    assert loaded(tmp_path, text).settings.breaker == Settings().breaker


@given(st.sampled_from(names()), st.one_of(st.text(max_size=8), st.integers(), st.floats(), st.booleans(), st.none()))
def test_any_value_is_taken_or_refused_clearly(tmp_path_factory: pytest.TempPathFactory, name: str, value: object) -> None:
    home = tmp_path_factory.mktemp("home")
    try:
        found = loaded(home, flags={name: value})
    except ConfigurationError as error:
        assert name in error.message
        assert error.hint
    else:
        assert found.origins[name] == "flag"


def test_every_setting_has_a_variable() -> None:
    assert variable("breaker.cooldown") == "ENCYCLOPEDIA_BREAKER_COOLDOWN"
