"""A world in which a transactional table is well."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.statements import World, build_table


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(parameters={"transactional": "true"}))
    return world
