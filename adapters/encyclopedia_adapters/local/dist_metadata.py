"""What an installed distribution says of itself: its metadata and its README."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia_adapters.local.distributions import Installed

MAX_METADATA = 2 << 20
"""Bytes read of a metadata file."""
_URL_LABELS = ("documentation", "docs", "homepage", "home", "source", "repository")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The headers that are worth searching, and the description (usually the README) with its content type."""

    name: str
    version: str
    summary: str = ""
    url: str = ""
    description: str = ""
    markup: str = ""


def read_metadata(item: Installed) -> Metadata:
    """The metadata of ``item``; what cannot be read is left empty, name and version then come from the folder's name."""
    headers, body = _headers(_metadata_text(item.metadata))
    description = (body.strip() or _unindented(_first(headers, "description"))).strip()
    return Metadata(
        name=_first(headers, "name") or item.name,
        version=_first(headers, "version") or item.version,
        summary=_first(headers, "summary"),
        url=_documentation(headers),
        description="" if description == "UNKNOWN" else description,
        markup=_first(headers, "description-content-type").lower(),
    )


def _metadata_text(folder: str) -> str:
    for path in (os.path.join(folder, "METADATA"), os.path.join(folder, "PKG-INFO"), folder):
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(MAX_METADATA)
    return ""


def _headers(text: str) -> tuple[list[tuple[str, str]], str]:
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    headers: list[tuple[str, str]] = []
    for line in head.split("\n"):
        if line[:1] in " \t" and headers:
            headers[-1] = (headers[-1][0], headers[-1][1] + "\n" + line)
        else:
            label, colon, value = line.partition(":")
            if colon:
                headers.append((label.strip().lower(), value.strip()))
    return headers, body


def _first(headers: Iterable[tuple[str, str]], label: str) -> str:
    return next((value for name, value in headers if name == label), "")


def _unindented(text: str) -> str:
    # Old metadata keeps the description in a header, each line after the first indented by blanks or by "        |".
    first, *rest = text.split("\n")
    return "\n".join(
        [first, *(line.strip().removeprefix("|") if "|" in line[:9] else line.removeprefix("        ") for line in rest)]
    )


def _documentation(headers: list[tuple[str, str]]) -> str:
    links: dict[str, str] = {}
    for name, value in headers:
        if name == "project-url":
            label, _, link = value.partition(",")
            links.setdefault(label.strip().lower(), link.strip())
        elif name == "home-page":
            links.setdefault("homepage", value)
    found = [links[label] for label in _URL_LABELS if label in links]
    return next((link for link in found if link.startswith(("https://", "http://"))), "")
