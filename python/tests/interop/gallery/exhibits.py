"""All that the gallery shows.

An area's exhibits are a module of this folder with a tuple EXHIBITS; a new one is added to MODULES.
"""

import pytest

from interop.gallery import kinds, layouts, layouts_by_hand
from interop.gallery.exhibit import Exhibit
from interop.releases import cases_of_releases

MODULES = (layouts, layouts_by_hand, kinds)
EXHIBITS: tuple[Exhibit, ...] = tuple(exhibit for module in MODULES for exhibit in module.EXHIBITS)


def cases(*, is_replaced: bool = False) -> pytest.MarkDecorator:
    """Each exhibit with each release that can make it.

    Those that can be replaced, if that is asked for, each with the newest release: a base hides any layout alike.
    """
    chosen = (
        (release, exhibit.name, (exhibit,))
        for exhibit in EXHIBITS
        for release in exhibit.hive_versions[-1 if is_replaced else 0 :]
        if not (is_replaced and exhibit.refused)
    )
    return cases_of_releases(("exhibit",), chosen)
