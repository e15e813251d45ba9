"""What is wrong with a catalog: what it lacks, what it tells twice, where its links lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.local.catalog import dense
from encyclopedia_adapters.local.catalog.fresh import standing

if TYPE_CHECKING:
    from encyclopedia_adapters.local.catalog.entry import Catalog
    from encyclopedia_adapters.local.catalog.place import Place

_SHOWN = 5


def problems(place: Place) -> list[str]:
    """Sentences about the catalog at ``place`` and its pages, none if all is well; reads only."""
    try:
        listing = place.listing()
        catalog = dense.parse(place.read_catalog())
    except FileNotFoundError:
        return [f"{place.catalog}: it is not there"]
    except OSError as error:
        return [f"{place.catalog}: {error.strerror or error}"]
    found = standing(place, listing, catalog)
    told = [f"{place.catalog}: {sentence}" for sentence in found._replace(hours=0).sentences()]
    return [*told, *found.doubled, *_of_the_text(place, catalog)]


def _of_the_text(place: Place, catalog: Catalog) -> list[str]:
    told = []
    if catalog.broken or not catalog.entries:
        where = f", lines {', '.join(map(str, catalog.broken[:_SHOWN]))}" if catalog.broken else ""
        told.append(f"{place.catalog}: {len(catalog.broken) or 'all'} blocks cannot be read{where}")
    strange = [entry.path for entry in catalog.entries if entry.path and place.leaves(entry.path)]
    if strange:
        told.append(f"{place.catalog}: {len(strange)} paths lead out of {place.entities}: {', '.join(strange[:_SHOWN])}")
    if catalog.dangling:
        told.append(f"links lead to pages that are not there: {', '.join(slug for slug, _ in catalog.dangling[:_SHOWN])}")
    return told
