"""Cases that not every release of Hive has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

OF_4 = pytest.mark.releases("4.1.0")
"""A test of what does not differ by release, here or in Hive."""


def cases_of_releases(names: Sequence[str], cases: Iterable[tuple[str, str, tuple[Any, ...]]]) -> pytest.MarkDecorator:
    """A test's parameters `names`, beside the release of its fixture `hive`.

    If one decorator gave the release and a value, each case would have an engine of its own, as pytest makes an engine
    for the scope that all of its parameters have.

    Args:
        names: of the parameters.
        cases: release, ID and values of each. One ID has the same values in all releases.
    """
    values: dict[str, tuple[Any, ...]] = {}
    releases: dict[str, list[str]] = {}
    for release, case, given in cases:
        values[case] = given
        releases.setdefault(case, []).append(release)
    marked = [pytest.param(*values[case], id=case, marks=pytest.mark.releases(*releases[case])) for case in values]
    return pytest.mark.parametrize(tuple(names), marked)


def lacks_release(item: pytest.Item) -> bool:
    """True if its case is not one of the release that the fixture `hive` has for it."""
    mark = item.get_closest_marker("releases")
    return isinstance(item, pytest.Function) and mark is not None and item.callspec.params["hive"] not in mark.args
