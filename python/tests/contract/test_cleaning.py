"""The Cleaner of each metastore on PostgreSQL removes what compactions have replaced, and what aborted ones left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import MetastoreLine
from support.hand_compactions import Place
from support.metastore_releases import VERSIONS, started_release
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually

QUICK = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"cleaner.on": "true", "cleaner.run.interval": "500ms"}.items()
}
OF_3 = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"initiator.on": "true", "worker.threads": "1"}.items()
}
"""Its Initiator brings the Cleaner, and its queue is served by its own workers alone."""
LIMIT_S = 120.0


@contextmanager
def started(name: str, folder: Path) -> Iterator[EmbeddedMetastore]:
    settings = QUICK | (OF_3 if name == "3.1.3" else {})
    starting = (
        EmbeddedMetastore.start(folder, settings=settings)
        if name == "embedded"
        else started_release(name, folder, settings, "postgresql")
    )
    with starting as metastore:
        yield metastore


@pytest.fixture(
    scope="module", params=("embedded", *(pytest.param(version, marks=pytest.mark.slow) for version in VERSIONS))
)
def setup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """Tables in a metastore whose Cleaner looks often."""
    folder = tmp_path_factory.mktemp("cleaning") / request.param
    with started(request.param, folder) as metastore, thrift_setup(metastore.uri) as setup:
        yield setup


@pytest.mark.parametrize("partition", [None, "day=mon"])
def test_what_two_compactions_have_replaced_goes_from_disk(setup: ThriftSetup, partition: str | None) -> None:
    table = setup.create_table("parted" if partition else "flat", partition_columns=["day"] if partition else [])
    if partition:
        setup.add_partition(table, partition)
    pool = None if setup.metastore.line is MetastoreLine.HIVE_3 else f"pool_{table}"
    place = Place(setup.metastore, table, partition, pool)
    for _ in range(2):
        place.write()
        place.write(aborts=True)
        place.write()
        base = place.compact()
        assert eventually(lambda: place.is_clean() and place.folders() == {base}, LIMIT_S), place.folders()  # noqa: B023
