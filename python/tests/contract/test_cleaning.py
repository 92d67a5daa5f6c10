"""The Cleaner of each metastore on PostgreSQL removes what compactions have replaced, and what aborted ones left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.clock import monotonic_ms, pause_ms
from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from hive_acid.transactions.locks import Identity, Timing
from hive_acid.transactions.manager import TransactionManager
from support.hand_compactions import Place
from support.metastore_releases import OTHER_VERSIONS, started_metastore
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually

QUICK = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"cleaner.on": "true", "cleaner.run.interval": "500ms"}.items()
}
"""Releases come without a Cleaner, and one that runs looks every 5 s."""
OF_3 = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"initiator.on": "true", "worker.threads": "1"}.items()
}
"""Its Initiator brings the Cleaner, and its queue is served by its own workers alone."""
LIMIT_S = 120.0
WHO = Identity("tester", "testhost", "contract")
TIMING = Timing(monotonic_ms, pause_ms, pause_ms)


@pytest.fixture(
    scope="module", params=("embedded", *(pytest.param(version, marks=pytest.mark.slow) for version in OTHER_VERSIONS))
)
def setup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """Tables in a metastore whose Cleaner looks often."""
    settings = QUICK | (OF_3 if request.param == "3.1.3" else {})
    folder = tmp_path_factory.mktemp("cleaning") / request.param
    starting = started_metastore(request.param, folder, settings, "postgresql")
    with starting as metastore, thrift_setup(metastore.uri) as setup:
        yield setup


@pytest.mark.beyond_the_gate("a flat table", cells=["embedded-day=mon"])
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


def keep_one_of_two(setup: ThriftSetup, what: str) -> tuple[Place, Place, int]:
    """Two tables, and an open transaction that has asked for the files of the first."""
    names = (f"kept_{what}", f"cleaned_{what}")
    kept, cleaned = (Place(setup.metastore, setup.create_table(name), None, f"pool_{name}") for name in names)
    reader = setup.metastore.open_transaction("tester", "testhost", "contract")
    setup.metastore.keep_files(reader, [kept.table])
    return kept, cleaned, reader


def test_files_stay_as_long_as_a_transaction_has_asked_for_them(setup: ThriftSetup) -> None:
    """Also beside a Cleaner that waits for nobody else, as that of 4.2.0 by default. That of 3.1 waits for locks."""
    metastore = setup.metastore
    if metastore.line is MetastoreLine.HIVE_3:
        return
    kept, cleaned, reader = keep_one_of_two(setup, "rows")
    for place in (kept, cleaned):
        place.write()
        place.write()
    base, other = kept.compact(), cleaned.compact()
    waits_for_all = not TransactionManager(metastore, WHO, Settings({}), TIMING).asks_cleaner
    if not waits_for_all:
        assert eventually(lambda: has_been_looked_at(cleaned), LIMIT_S), "nobody has asked for these"
    assert len(kept.folders()) == 3
    assert not has_been_looked_at(kept)
    metastore.commit(reader)
    assert eventually(lambda: kept.folders() == {base}, LIMIT_S), kept.folders()
    assert not waits_for_all or eventually(lambda: cleaned.folders() == {other}, LIMIT_S), cleaned.folders()


@pytest.mark.beyond_the_gate("a flat table")
def test_originals_of_a_table_without_write_ids_stay_too(setup: ThriftSetup) -> None:
    """Their compaction tells the Cleaner of write ID 0, below which no write ID is."""
    metastore = setup.metastore
    if metastore.line is MetastoreLine.HIVE_3:
        return
    kept, cleaned, reader = keep_one_of_two(setup, "originals")
    kept.compact_originals()
    cleaned.compact_originals()

    def is_looked_at(place: Place) -> bool:
        return not place.original.exists() or any(entry.error for entry in place.entries())

    if TransactionManager(metastore, WHO, Settings({}), TIMING).asks_cleaner:
        assert eventually(lambda: is_looked_at(cleaned), LIMIT_S), "nobody has asked for these"
        pause_ms(3_000)
    assert not is_looked_at(kept)
    metastore.commit(reader)
    assert eventually(lambda: not kept.original.exists(), LIMIT_S)


def test_files_are_kept_for_no_transaction_that_is_unknown(setup: ThriftSetup) -> None:
    metastore = setup.metastore
    if metastore.line is MetastoreLine.HIVE_3:
        return
    if TransactionManager(metastore, WHO, Settings({}), TIMING).asks_cleaner:
        with pytest.raises(HiveAcidError):
            metastore.keep_files(10**9, [setup.create_table("nobodys")])


def has_been_looked_at(place: Place) -> bool:
    """True if the Cleaner has tried. That of 4.2.0 fails by a NumberFormatException while a transaction is open."""
    return len(place.folders()) < 3 or any(entry.error for entry in place.entries())
