from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_acid_erasure.certificate.signing import make_keys
from support.erasure_shop import Shop, open_shop


@pytest.fixture
def make_shop(tmp_path: Path) -> Callable[[], Shop]:
    """A function that opens another shop, in a folder of its own."""
    numbers = itertools.count()
    make_keys(tmp_path / "keys")
    return lambda: open_shop(tmp_path, tmp_path / f"shop{next(numbers)}")


@pytest.fixture
def shop(make_shop: Callable[[], Shop]) -> Shop:
    return make_shop()
