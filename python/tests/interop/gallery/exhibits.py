"""All that the gallery shows.

An area's exhibits are a module of this folder with a tuple EXHIBITS; a new one is added to MODULES.
"""

import pytest

from interop.gallery import kinds, layouts, layouts_by_hand
from interop.gallery.exhibit import Exhibit
from interop.hive_engine import HIVE_VERSIONS
from interop.releases import cases_of_releases

MODULES = (layouts, layouts_by_hand, kinds)
EXHIBITS: tuple[Exhibit, ...] = tuple(exhibit for module in MODULES for exhibit in module.EXHIBITS)


def _releases(exhibit: Exhibit) -> tuple[str, ...]:
    """Those that show it: each that makes a layout of its own.

    What is put together by hand is the same on all, as is what is read of it here.
    """
    is_by_hand = exhibit in layouts_by_hand.EXHIBITS
    return exhibit.hive_versions[-1:] if is_by_hand and not exhibit.hive_misreads else exhibit.hive_versions


def cases(*, is_replaced: bool = False) -> pytest.MarkDecorator:
    """Each exhibit with its releases.

    Those that are replaced, if that is asked for, on the newest release: a base hides any layout alike, so they are one
    of each kind of table.
    """
    chosen = (
        (release, exhibit.name, (exhibit,))
        for exhibit in EXHIBITS
        for release in (HIVE_VERSIONS[-1:] if is_replaced else _releases(exhibit))
        if not is_replaced or exhibit.goes_all_the_way
    )
    return cases_of_releases(("exhibit",), chosen)
