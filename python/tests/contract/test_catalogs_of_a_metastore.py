"""The catalogs of one metastore: what a client of another one than `hive` sees, and what transactions take for one.

Write IDs, locks and compactions know tables by database and name alone, on all releases up to 4.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import AddedFile, MetastoreLine
from hive_acid.model.table import TableName
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.messages import DescribedDatabase
from support.metastore_releases import GATE_VERSION, OTHER_VERSIONS, started_metastore, started_release
from support.metastore_setup import ThriftSetup, thrift_setup
from support.metastores_catalogs import USER, client_of_new_catalog, described, is_visible, write
from support.polling import eventually

QUICK = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {
        "cleaner.on": "true",
        "cleaner.run.interval": "500ms",
        "abortedtxn.threshold": "0",
        "aborted.txn.time.threshold": "1s",
        "clean.aborts.using.cleaner": "true",  # as releases have it by default
    }.items()
} | {"metastore.acid.txn.cleaner.interval": "1s"}
LIMIT_S = 60.0
OF_4 = ("embedded", *(pytest.param(version, marks=pytest.mark.slow) for version in OTHER_VERSIONS[1:]))


@pytest.fixture(scope="module", params=OF_4)
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """The catalog `hive` of a metastore whose Cleaner looks often, also for what was aborted."""
    folder = tmp_path_factory.mktemp("catalogs") / request.param
    starting = started_metastore(request.param, folder, QUICK, "postgresql")
    with starting as metastore, thrift_setup(metastore.uri) as setup:
        yield setup


@pytest.fixture
def hive(here: ThriftSetup) -> Iterator[CatalogMetastore]:
    with closing(CatalogMetastore(here.metastore.uri)) as client:
        yield client


@pytest.fixture
def elsewhere(here: ThriftSetup, tmp_path: Path) -> Iterator[CatalogMetastore]:
    """A client of another catalog of the same metastore."""
    with client_of_new_catalog(here.metastore.uri, tmp_path / "warehouse") as (_, client):
        yield client


@pytest.fixture
def database(elsewhere: CatalogMetastore, tmp_path: Path) -> str:
    """One that `hive` has not."""
    name = f"db_{tmp_path.name[-12:].lower()}"
    elsewhere.create_database(DescribedDatabase(name, None, None, None, {}))
    return name


def forget(hive: CatalogMetastore, database: str) -> None:
    """The metastore forgets write IDs with a database of that name in `hive`, which never has a table."""
    hive.create_database(DescribedDatabase(database, None, None, None, {}))
    hive.drop_database(database, cascades=False)


@pytest.mark.parametrize("is_partitioned", [False, True], ids=["flat", "partitioned"])
def test_a_table_whose_write_ids_are_forgotten_by_a_drop_in_hive_is_neither_read_nor_written(
    hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str, *, is_partitioned: bool
) -> None:
    name = TableName(database, "kept")
    elsewhere.create_table(described(name, is_partitioned=is_partitioned))
    for number in (1, 2):
        write_id, write_ids = write(elsewhere, name)
        if is_partitioned:
            location = f"{elsewhere.table(name).location}/day={number}"
            elsewhere.add_partitions(name, {f"day={number}": location}, write_id, write_ids)
        elsewhere.drop_statistics(elsewhere.table(name), write_id, write_ids)
    assert elsewhere.table(name).name == name
    forget(hive, database)
    for _ in range(2):
        with pytest.raises(HiveAcidError) as refused:
            elsewhere.table(name)
        assert refused.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.FORGOTTEN_WRITE_IDS"
    write(elsewhere, name)  # as an engine does that looks at nothing
    with pytest.raises(HiveAcidError, match="contains write ID 2, but the metastore only knows write IDs up to 1"):
        elsewhere.table(name)


@pytest.mark.parametrize("is_partitioned", [False, True], ids=["flat", "partitioned"])
def test_a_table_gets_its_forgotten_write_ids_back_by_an_administrator(
    hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str, *, is_partitioned: bool
) -> None:
    name = TableName(database, "kept")
    elsewhere.create_table(described(name, is_partitioned=is_partitioned))
    write(elsewhere, name)
    elsewhere.drop_statistics(elsewhere.table(name), *write(elsewhere, name))
    forget(hive, database)
    elsewhere.restore_write_ids(name, 2, *USER[:2])
    assert elsewhere.table(name).name == name
    assert is_visible(elsewhere, name)


def test_a_server_that_means_another_catalog_where_none_is_named_is_refused(tmp_path: Path, here: ThriftSetup) -> None:
    here.metastore.refuse_servers_catalog()
    with EmbeddedMetastore.start(tmp_path, settings={"metastore.catalog.default": "raw"}) as metastore:
        client = CatalogMetastore(metastore.uri)
        with pytest.raises(HiveAcidError) as refused:
            client.refuse_servers_catalog()
        client.close()
    assert refused.value.getCondition() == "HIVE_ACID_CONFIGURATION.METASTORE_DEFAULT_CATALOG"


def test_databases_and_tables_are_those_of_the_catalog_alone(
    here: ThriftSetup, hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str
) -> None:
    name = TableName(database, "t")
    elsewhere.create_table(described(name, properties={}))
    assert set(elsewhere.database_names()) == {"default", database}
    assert database not in here.metastore.database_names()
    assert elsewhere.table_names() == [name]
    assert elsewhere.table_names_in(database) == ["t"]
    found = elsewhere.described_database(database)
    assert found is not None
    assert "/warehouse/" in str(found.location)
    assert hive.described_database(database) is None
    assert hive.described_table(name) is None
    assert elsewhere.described_table(name) is not None
    elsewhere.drop_table(name, purges=True)
    assert elsewhere.table_names() == []
    elsewhere.drop_database(database, cascades=False)
    assert elsewhere.database_names() == ["default"]


def test_sparks_numbers_of_a_partitioned_table_are_withdrawn_and_its_write_id_is_kept(
    hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str
) -> None:
    name, number = TableName(database, "counted"), "spark.sql.statistics.numRows"
    properties = {"transactional": "true", "COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}', number: "7"}
    elsewhere.create_table(described(name, is_partitioned=True, properties=properties))
    for _ in range(2):
        elsewhere.drop_statistics(elsewhere.table(name), *write(elsewhere, name))
        assert number not in elsewhere.table(name).parameters
    forget(hive, database)
    with pytest.raises(HiveAcidError, match="contains write ID 2,"):
        elsewhere.table(name)


def test_a_flat_table_is_written_and_its_statistics_are_withdrawn(elsewhere: CatalogMetastore, database: str) -> None:
    name = TableName(database, "flat")
    elsewhere.create_table(described(name, properties={"transactional": "true", "numRows": "7"}))
    write_id, write_ids = write(elsewhere, name)
    assert write_id == 1
    elsewhere.drop_statistics(elsewhere.table(name), write_id, write_ids)
    assert "numRows" not in elsewhere.table(name).parameters
    assert is_visible(elsewhere, name)
    assert elsewhere.constraints(name).not_null == frozenset()
    assert elsewhere.column_defaults(name) == {}
    assert elsewhere.column_extremes(name, ()) == {}
    assert elsewhere.table(name).location.endswith("/flat")


def test_partitions_are_added_altered_and_named(elsewhere: CatalogMetastore, database: str) -> None:
    name, day = TableName(database, "parted"), "day=mon"
    elsewhere.create_table(described(name, is_partitioned=True))
    assert elsewhere.partition_names(name) == []
    write_id, write_ids = write(elsewhere, name)
    elsewhere.add_partitions(name, {day: f"{elsewhere.table(name).location}/{day}"}, write_id, write_ids)
    assert elsewhere.partition_names(name) == [day]
    (found,) = elsewhere.partitions(name, [day])
    assert elsewhere.drop_partition_statistics(name, [day], write_id, write_ids) == {day: found.location}
    elsewhere.drop_statistics(elsewhere.table(name), write_id, write_ids)
    elsewhere.cascade_columns(name, write_id, write_ids)
    assert elsewhere.column_extremes(name, [day]) == {}


@pytest.mark.parametrize("partition", ["", "day=mon"])
def test_listeners_are_told_of_writes(elsewhere: CatalogMetastore, database: str, partition: str) -> None:
    name = TableName(database, "told")
    elsewhere.create_table(described(name, is_partitioned=bool(partition)))
    txn_id = elsewhere.open_transaction(*USER)
    write_id = elsewhere.allocate_write_id(txn_id, name)
    own = elsewhere.valid_write_ids([name], elsewhere.valid_transactions(txn_id))[name].with_own(write_id)
    location = elsewhere.table(name).location
    if partition:
        elsewhere.add_partitions(name, {partition: f"{location}/{partition}"}, write_id, own)
    files = [AddedFile(f"{location}/{partition}/delta_1_1/bucket_00000", "", "delta_1_1")]
    elsewhere.notify_write(txn_id, write_id, name, {partition: files})
    elsewhere.commit(txn_id)


def test_what_was_aborted_stays_so_where_the_cleaner_looks(
    here: ThriftSetup, elsewhere: CatalogMetastore, database: str
) -> None:
    """It looks for the table in `hive` alone and takes it for dropped. Its rows must not count as committed then."""
    cleaned, kept = here.create_table(f"cleaned_{database}"), TableName(database, "kept")
    elsewhere.create_table(described(kept))
    for table in (kept, cleaned):
        assert write(elsewhere, table, aborts=True)[0] == 1
    write(here.metastore, cleaned)  # the latest transaction is never forgotten
    assert eventually(lambda: is_visible(here.metastore, cleaned), LIMIT_S), "it is forgotten"
    assert not is_visible(elsewhere, kept)


def test_no_compaction_is_asked_for_because_the_cleaner_would_not_find_the_table(
    elsewhere: CatalogMetastore, database: str
) -> None:
    with pytest.raises(HiveAcidError) as refused:
        elsewhere.request_compaction(CompactionRequest(TableName(database, "t"), CompactionKind.MAJOR))
    assert refused.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_IN_CATALOG"


def test_a_drop_in_hive_makes_the_metastore_forget_the_write_ids_of_a_twin(
    here: ThriftSetup, hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str
) -> None:
    """The reason why a database in two catalogs is refused. A release that tells them apart fails here."""
    twin = TableName(database, "twin")
    elsewhere.create_table(described(twin))
    assert [write(elsewhere, twin)[0] for _ in range(3)] == [1, 2, 3]
    hive.create_database(DescribedDatabase(database, None, None, None, {}))
    hive.create_table(described(twin))
    hive.drop_table(twin, purges=False)
    assert elsewhere.described_table(twin) is not None
    assert write(elsewhere, twin)[0] == 1, "as if it had never been written to"


def test_transactional_tables_of_a_database_in_two_catalogs_are_refused(
    hive: CatalogMetastore, elsewhere: CatalogMetastore, database: str
) -> None:
    before, plain = TableName(database, "before"), TableName(database, "plain")
    elsewhere.create_table(described(before))
    hive.create_database(DescribedDatabase(database, None, None, None, {}))
    elsewhere.create_table(described(plain, properties={}))
    for use in (lambda: elsewhere.table(before), lambda: elsewhere.create_table(described(TableName(database, "new")))):
        with pytest.raises(HiveAcidError) as refused:
            use()
        assert refused.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.DATABASE_IN_CATALOGS"
        assert refused.value.getMessageParameters()["others"] == "hive"
    assert set(elsewhere.table_names()) == {before, plain}
    assert elsewhere.table(plain).name == plain
    hive.drop_database(database, cascades=False)
    assert elsewhere.table(before).name == before


def test_a_name_that_was_dropped_is_not_used_again_because_its_write_ids_stay(
    elsewhere: CatalogMetastore, database: str
) -> None:
    name = TableName(database, "again")
    elsewhere.create_table(described(name))
    elsewhere.drop_table(name, purges=True)
    elsewhere.create_table(described(name))  # nobody has written to it
    assert write(elsewhere, name)[0] == 1
    elsewhere.drop_table(name, purges=True)
    with pytest.raises(HiveAcidError) as refused:
        elsewhere.create_table(described(name))
    assert refused.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NAME_USED_IN_CATALOG"
    assert elsewhere.described_table(name) is None
    elsewhere.create_table(described(name, properties={}))
    assert write(elsewhere, name)[0] == 2, "a release that forgets them fails here"


def test_a_catalog_that_the_metastore_has_not_is_told(here: ThriftSetup) -> None:
    with pytest.raises(HiveAcidError) as refused:
        CatalogMetastore(here.metastore.uri, catalog="nowhere").database_names()
    assert refused.value.getCondition() == "HIVE_ACID_CONFIGURATION.METASTORE_CATALOG_MISSING"
    assert "hive" in refused.value.getMessageParameters()["known"]


def test_the_3_1_line_is_refused(tmp_path: Path) -> None:
    """Its AcidEventListener cleans up by database and name, whatever the catalog of a dropped table."""
    with started_release(GATE_VERSION, tmp_path) as metastore, thrift_setup(metastore.uri) as setup:
        assert setup.metastore.line is MetastoreLine.HIVE_3
        with pytest.raises(HiveAcidError) as refused:
            CatalogMetastore(metastore.uri, catalog="other").database_names()
    assert refused.value.getCondition() == "HIVE_ACID_CONFIGURATION.METASTORE_CATALOG_ON_3_1"
