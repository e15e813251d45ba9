"""Every parser of bytes from outside as a function of bytes, with what must hold of what it gives back."""

from __future__ import annotations

from encyclopedia.engine.verdict import judge
from encyclopedia.model.errors import ConfigurationError, Garbled
from encyclopedia.model.outcome import Hit
from encyclopedia.wiring.credentials import written
from encyclopedia.wiring.redaction import Redaction
from encyclopedia_adapters.generic.guess import from_text, from_value, parsed
from encyclopedia_adapters.local import front_matter, html_page, llms_text, man_index, man_page, markdown
from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.shared.body import decode, parse_json
from encyclopedia_adapters.shared.hits import clean_date, clean_hit
from encyclopedia_adapters.shared.markup import clean_html, looks_like_html
from encyclopedia_adapters.shared.sanitize import CONTENT, TITLE, URL, clean_line, clean_text, clean_url

UNSEEN = frozenset("\x00\x07\x08\x1b\x7f\x9b\u202a\u202e\u2066\u2069\u200b\ufeff")


def harmless(text: str, limit: int) -> None:
    assert len(text) <= limit
    assert not UNSEEN & set(text)
    assert "<script" not in text.lower()
    text.encode("utf-8")


def text_of(raw: bytes) -> str:
    return decode(raw, None)


def html(raw: bytes) -> None:
    text = text_of(raw)
    looks_like_html(text)
    harmless(clean_html(text), CONTENT)
    html_page.parse(html_page.decode(raw), {"a", "main"})


def text(raw: bytes) -> None:
    given = text_of(raw)
    harmless(clean_text(given), CONTENT)
    harmless(clean_line(given), TITLE)
    assert clean_text(clean_text(given)) == clean_text(given) or len(given) > CONTENT
    url = clean_url(given)
    harmless(url, URL)
    assert not url or url.startswith(("http://", "https://")) or url.lower().startswith(("http://", "https://"))
    clean_date(given)
    for markup in ("text", "html", "guess"):
        hit = clean_hit(Hit(given, given, given, published=given, version=given, id=given), markup=markup)
        if hit:
            harmless(hit.title, TITLE)
            harmless(hit.content, CONTENT)


def body(raw: bytes) -> None:
    try:
        value = parse_json("example.org", text_of(raw))
    except Garbled:
        return
    for hit in from_value("x", value, 10) or ():
        harmless(hit.title, TITLE)
        harmless(hit.content, CONTENT)


def printed(raw: bytes) -> None:
    given = text_of(raw)
    parsed(given)
    try:
        hits = from_text("x", given, 10)
    except Garbled:
        return
    for hit in hits:
        harmless(hit.title, TITLE)
        harmless(hit.content, CONTENT)


def front(raw: bytes) -> None:
    front_matter.parse(text_of(raw).splitlines())


def notes(raw: bytes) -> None:
    given = text_of(raw)
    lines = given.split("\n")
    for made in (markdown.parse(given), markdown.parse_plain(given)):
        for chunk in made.chunks:
            assert 1 <= chunk.first <= chunk.last <= len(lines) + 1


def catalog(raw: bytes) -> None:
    read_page("a/b.md", text_of(raw))


def manual(raw: bytes) -> None:
    given = text_of(raw)
    list(man_index.parse(given))
    man_page.excerpt(man_page.plain(given), man_page.content_terms(given[:100]))


def llms(raw: bytes) -> None:
    llms_text.parse(text_of(raw))


def errors(raw: bytes) -> None:
    given = text_of(raw)
    reason = judge(RuntimeError(given)).reason
    assert len(reason) <= 220
    assert reason.isprintable()


def secrets(raw: bytes) -> None:
    given = text_of(raw)
    list(written("url", given))
    list(written("command", given.split()))
    key = given[:40].strip()
    if len(key) >= 8 and "…" not in key:
        assert key not in Redaction([key]).text(f"before {given} after {key}")


TARGETS = {
    target.__name__: target for target in (html, text, body, printed, front, notes, catalog, manual, llms, errors, secrets)
}
ALLOWED = (ConfigurationError,)
