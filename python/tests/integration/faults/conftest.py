"""One metastore whose transactions time out quickly, with the drivers that all tests of faults share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.drivers import Drivers, Table, start_drivers, wait_until


@pytest.fixture(scope="package")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    with start_drivers(tmp_path_factory.mktemp("faults")) as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def own_tables(drivers: Drivers) -> Iterator[None]:
    """Trials of a module share their tables, which do not grow for ever."""
    yield
    drivers.forget_shared()


@pytest.fixture(autouse=True)
def healed(drivers: Drivers) -> Iterator[None]:
    """No test leaves a fault behind, or anything open."""
    yield
    drivers.proxy.heal()
    wait_until(lambda: not drivers.open_transactions(), "all transactions have ended")


@pytest.fixture
def table(drivers: Drivers, request: pytest.FixtureRequest) -> Table:
    """A table of the test's own with the rows 0 to 99."""
    return drivers.create(f"t{next(drivers.numbers)}", "SELECT int(id) FROM range(100)")
