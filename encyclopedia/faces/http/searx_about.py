"""What SearXNG's clients ask about an instance: its configuration, its errors, how a browser adds it, what may be meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from encyclopedia.faces.http.searx import CATEGORIES, usable
from encyclopedia.wiring.agent import VERSION

if TYPE_CHECKING:
    from encyclopedia.faces.library import Encyclopedia

NAME = "encyclopedia"


def config(e: Encyclopedia) -> dict[str, Any]:
    """SearXNG's ``/config``: the sources that can be asked, as its engines."""
    can = usable(e)
    engines = [_engine(name, e.engine.catalog[name]) for name in sorted(e.engine.catalog) if name in can]
    none: dict[str, Any] = {}
    return {
        "autocomplete": "",
        "brand": dict.fromkeys(("PRIVACYPOLICY_URL", "CONTACT_URL", "GIT_URL", "GIT_BRANCH", "DOCS_URL"), ""),
        "categories": list(CATEGORIES),
        "default_doi_resolver": "",
        "default_locale": "",
        "default_theme": "simple",
        "doi_resolvers": [],
        "engines": engines,
        "instance_name": NAME,
        "limiter": {
            "enabled": False,
            "botdetection.ip_limit.link_token": False,
            "botdetection.ip_lists.pass_searxng_org": False,
        },
        "locales": {"en": "English"},
        "plugins": [],
        "preferences": none,
        "public_instance": False,
        "safe_search": 0,
        "version": VERSION,
    }


def _engine(name: str, entry: Any) -> dict[str, Any]:
    return {
        "name": name,
        "categories": categories(entry.candidate.serves),
        "shortcut": name[:3],
        "enabled": True,
        "paging": True,
        "language_support": False,
        "languages": [],
        "regions": [],
        "safesearch": False,
        "time_range_support": False,
        "timeout": entry.candidate.timeout,
    }


def categories(serves: Any) -> list[str]:
    """The categories of a source that serves these query types."""
    of_type = {name for name, kind in CATEGORIES.items() if kind in serves}
    return [name for name in CATEGORIES if name == "general" or name in of_type]


def errors(e: Encyclopedia) -> dict[str, list[dict[str, Any]]]:
    """SearXNG's ``/stats/errors``: how the last call of a source failed, if it did."""
    health = e.engine.stores.circuit.health(sorted(usable(e)))
    return {name: [_error(known.last_error)] for name, known in health.items() if known.last_error}


def _error(said: str) -> dict[str, Any]:
    return {
        "filename": "",
        "function": "",
        "line_no": 0,
        "code": "",
        "exception_classname": None,
        "log_message": said,
        "log_parameters": [],
        "secondary": False,
        "percentage": 100,
    }


def opensearch(base: str) -> str:
    """The description with which a browser adds the service as a search engine."""
    page, feed, words = (
        f"{base}{path}" for path in ("/search?q={searchTerms}", "/opensearch.xml", "/autocompleter?q={searchTerms}")
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/" xmlns:moz="http://www.mozilla.org/2006/browser/search/">
  <ShortName>{NAME}</ShortName>
  <LongName>{NAME}: one search over your own knowledge, documentation, the web and code</LongName>
  <Description>One ranked, attributed answer from every source that may answer</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Image width="16" height="16" type="image/svg+xml">{escape(base)}/static/icon.svg</Image>
  <Url rel="results" type="text/html" method="GET" template={quoteattr(page)}/>
  <Url rel="suggestions" type="application/x-suggestions+json" method="GET" template={quoteattr(words)}/>
  <Url rel="self" type="application/opensearchdescription+xml" template={quoteattr(feed)}/>
  <Query role="example" searchTerms="observer pattern"/>
  <moz:SearchForm>{escape(base)}/search</moz:SearchForm>
</OpenSearchDescription>
"""
