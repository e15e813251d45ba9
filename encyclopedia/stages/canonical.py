"""Identity of pages: when two addresses, two places in a corpus or two texts are the same page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from encyclopedia.model.outcome import Hit

_LONGEST = 2048
_TRACKER_KEYS = frozenset(
    ("gclid", "fbclid", "msclkid", "dclid", "gbraid", "wbraid", "yclid", "twclid", "igshid", "mkt_tok", "_ga", "_gl", "ref_src")
)
_AMP_PAIRS = frozenset(("amp", "amp=", "amp=1", "amp=true"))
_TRACKER_PREFIXES = ("utm_", "mc_", "_hs")
_ALIASES = ("www.", "m.", "mobile.", "amp.")
_INDEX = frozenset(("index.html", "index.htm", "index.php", "index.xhtml"))
_AMP_GATES = ("google.", "bing.com")
_AMP_CACHE = ".cdn.ampproject.org"
_NOT_AMP_BELOW = frozenset(("wiki", "tag", "tags", "tagged", "topics", "project", "projects", "package", "packages"))
_CODE_HOSTS = frozenset(("github.com", "gitlab.com", "codeberg.org", "bitbucket.org"))
_GITHUB_FILES = frozenset(("blob", "raw", "blame"))
_SAFE = "!$&'()*+,;=:@~"
_SAFE_QUERY = "!$'()*,;:@~/?"
_ENDINGS = _INDEX | {"amp"}
_PLAIN_URL = re.compile(r"https://([a-z0-9.-]{4,60})/(?!amp/)([\w.~/-]*/)?([\w.~-]+)", re.ASCII).fullmatch
_PLAIN_PATH = re.compile(r"[\w/.~-]*", re.ASCII).fullmatch
_PLAIN_PAIR = re.compile(r"[\w.~-]*=?[\w.~-]*", re.ASCII).fullmatch
_ARXIV = re.compile(r"/(?:abs|pdf|html)/((?:[a-z.-]+/)?[\d.]+\d)(?:v\d+)?(?:\.pdf)?", re.IGNORECASE).fullmatch
_ARXIV_DOI = re.compile(r"/10\.48550/arxiv\.([\d.]+\d)", re.IGNORECASE).fullmatch
_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0xAD: None}


def page_key(hit: Hit, source: str = "") -> str:
    """The identity of the page that a hit belongs to; equal keys are one page.

    The source's own name for the page decides, else the address, else the place in a corpus, else the text. Versions of a page
    are different pages.
    """
    if hit.page:
        return f"page:{source}:{hit.page}@{hit.version}"
    if hit.url:
        return f"url:{canonical_url(hit.url)}@{hit.version}"
    if hit.locator is not None:
        return f"place:{hit.locator.corpus}:{hit.locator.path}@{hit.version}"
    return f"text:{plain_text(hit.title)}\n{plain_text(hit.content)}@{hit.version}"


def plain_text(text: str) -> str:
    """Text with compatibility forms, case, kinds of quotation marks and white space folded."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", text.translate(_QUOTES))
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4096)
def canonical_url(url: str) -> str:
    """The address by which pages are compared, never shown; any string is taken, and the result is its own canonical form.

    Rules of our own, as no normaliser joins what search engines give for one page: scheme, host case, default ports, ``www.``
    and mobile hosts, AMP wrappers, trackers, order of the query, final slash, index pages, percent and punycode forms,
    fragments but ``#!`` and ``#/``, and the several addresses of an arXiv paper and of a file on GitHub.
    """
    plain = _PLAIN_URL(url)
    if plain and plain[3] not in _ENDINGS and _is_plain_host(plain[1]):
        return url
    parts = _split(url)
    if parts is None:
        return url.strip()
    host, path, query, fragment = parts
    host, path = _unwrap(_host(host), _path(path))
    special = _SPECIAL.get(host)
    found = special(path.rstrip("/")) if special else None
    if found:
        host, path, query = found[0], found[1], "" if found[2] else query
    else:
        path = _trim(host, path)
    query = _query(query) if query else ""
    return f"https://{host}{path or '/'}{'?' + query if query else ''}{'#' + fragment if fragment else ''}"


def clean_url(url: str) -> str:
    """An address to be shown for a page that came from several: https, without trackers, otherwise as it was given.

    An address with a port of its own keeps its scheme, as TLS is not spoken there.
    """
    if url.startswith("https://") and "?" not in url:
        return url
    scheme, mark, rest = url.strip().partition("://")
    if not mark or scheme.lower() not in ("http", "https"):
        return url
    rest, hash_mark, fragment = rest.partition("#")
    base, _, query = rest.partition("?")
    host, slash, path = base.partition("/")
    if scheme.lower() == "http":
        host = host.removesuffix(":80")
        scheme = "http" if host.rpartition(":")[2].isdigit() else "https"
    kept = "&".join([pair for pair in query.split("&") if pair and not _is_tracker(pair)])
    return f"{scheme.lower()}://{host}{slash}{path}{'?' + kept if kept else ''}{hash_mark}{fragment}"


def _split(url: str) -> tuple[str, str, str, str] | None:
    """Host, path, query and the fragment that counts; ``None`` for what is no web address."""
    url = url.strip()
    if len(url) > _LONGEST:
        return None
    if not url.isascii():
        url = url.encode("utf-8", "backslashreplace").decode()
    scheme, mark, rest = url.partition("//")
    if not mark or scheme.lower() not in ("https:", "http:", ""):
        return None
    rest, _, fragment = rest.partition("#")
    rest, _, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    if not host:
        return None
    return host, slash + path, query, fragment.strip() if fragment[:1] in ("!", "/") else ""


@lru_cache(maxsize=1024)
def _host(host: str) -> str:
    host = host.lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            from urllib.parse import quote

            host = quote(host).lower()
    before = ""
    while host != before:
        before = host
        host = host.removesuffix(".").removesuffix(":80").removesuffix(":443").replace(".m.", ".")
        if host.startswith(_ALIASES) and "." in host.partition(".")[2]:
            host = host.partition(".")[2]
    return host


@lru_cache(maxsize=1024)
def _is_plain_host(host: str) -> bool:
    return _host(host) == host and host not in _SPECIAL and not host.endswith(_AMP_CACHE)


def _path(path: str) -> str:
    if _PLAIN_PATH(path):
        return path
    from urllib.parse import quote, unquote_to_bytes  # local hits have no address, and then nobody waits for it

    return "/".join(quote(unquote_to_bytes(segment), _SAFE) for segment in path.split("/"))


def _unwrap(host: str, path: str) -> tuple[str, str]:
    """The page behind an AMP gate: ``google.com/amp/s/HOST/PATH`` or ``x.cdn.ampproject.org/c/s/HOST/PATH``."""
    while host.endswith(_AMP_CACHE) or (path.startswith("/amp/") and host.startswith(_AMP_GATES)):
        inner = path[1:].partition("/")[2].removeprefix("s/")
        name, slash, rest = inner.partition("/")
        if "." not in name:
            break
        host, path = _host(name), slash + rest
    return host, path


def _trim(host: str, path: str) -> str:
    """Without final slashes, index pages and AMP endings; the root is empty."""
    while True:
        path = path.rstrip("/")
        base, _, last = path.rpartition("/")
        if last not in _ENDINGS:
            return path
        above = base.rpartition("/")[2]
        if last == "amp" and (not above or above in _NOT_AMP_BELOW or host in _CODE_HOSTS):
            return path
        path = base


def _query(query: str) -> str:
    kept = []
    for given in query.split("&"):
        if given.startswith(_TRACKER_PREFIXES):
            continue
        pair = given if _PLAIN_PAIR(given) else _pair(given)
        if pair and not _is_tracker(pair):
            kept.append(pair)
    return "&".join(sorted(kept))


def _pair(pair: str) -> str:
    from urllib.parse import quote, unquote_to_bytes

    key, equals, value = pair.replace("+", " ").partition("=")
    return quote(unquote_to_bytes(key), _SAFE_QUERY) + equals + quote(unquote_to_bytes(value), _SAFE_QUERY)


def _is_tracker(pair: str) -> bool:
    pair = pair.lower()
    return pair.startswith(_TRACKER_PREFIXES) or pair in _AMP_PAIRS or pair.partition("=")[0] in _TRACKER_KEYS


def _arxiv(path: str) -> tuple[str, str, bool] | None:
    found = _ARXIV(path)
    return ("arxiv.org", "/abs/" + found[1].lower(), True) if found else None


def _doi(path: str) -> tuple[str, str, bool]:
    found = _ARXIV_DOI(path)
    return ("arxiv.org", "/abs/" + found[1], True) if found else ("doi.org", path.lower(), False)


def _github(path: str) -> tuple[str, str, bool] | None:
    """A file by repository, ref and path; a repository without regard to case."""
    parts = path.split("/")
    if len(parts) < 3:  # noqa: PLR2004 - the empty one before the slash, owner, name
        return None
    owner, name, rest = parts[1].lower(), parts[2].lower().removesuffix(".git"), parts[3:]
    if rest and rest[0] in _GITHUB_FILES:
        rest = rest[3:] if rest[1:3] == ["refs", "heads"] else rest[1:]
        return "github.com", "/".join(("", owner, name, "blob", *rest)), True
    return "github.com", "/".join(("", owner, name, *rest)), False


def _raw_github(path: str) -> tuple[str, str, bool] | None:
    parts = path.split("/")
    return _github("/".join((*parts[:3], "raw", *parts[3:])))


_SPECIAL = {
    "arxiv.org": _arxiv,
    "export.arxiv.org": _arxiv,
    "ar5iv.org": _arxiv,
    "ar5iv.labs.arxiv.org": _arxiv,
    "doi.org": _doi,
    "dx.doi.org": _doi,
    "github.com": _github,
    "raw.githubusercontent.com": _raw_github,
}
