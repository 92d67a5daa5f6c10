"""A world in memory on each line of the metastore."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.statements import World


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)
