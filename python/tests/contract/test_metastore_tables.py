"""What every `Metastore` promises about tables, partitions and statistics."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError, InvalidStatement
from hive_acid.metastore.client import table_calls
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, TableDescription, TableKind, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from support.metastore_session import (
    Session,
)
from support.metastore_setup import ACCURATE, DATABASE_PROPERTIES, TRANSACTIONAL


class TestTables:
    def test_a_table_is_described(self, session: Session) -> None:
        name = session.setup.create_table("Described", partition_columns=["D", "e"])
        table = session.metastore.table(name)
        assert table.name == TableName(session.setup.database, "described")
        assert table.columns == (Column("id", "bigint"), Column("v", "string"))
        assert table.partition_columns == (Column("d", "string"), Column("e", "string"))
        assert table.bucket_count == 0
        assert table.location.lower().endswith("/described")
        assert table.input_format.endswith(".OrcInputFormat")
        assert table.kind is TableKind.FULL_ACID

    def test_properties_of_a_database_count_on_4_only(self, session: Session) -> None:
        expected = {} if session.metastore.line is MetastoreLine.HIVE_3 else DATABASE_PROPERTIES
        found = session.metastore.database_parameters(session.setup.database)
        assert {key: value for key, value in found.items() if key in DATABASE_PROPERTIES} == expected

    def test_insert_only_and_plain_tables_are_told_apart(self, session: Session) -> None:
        insert_only = {**TRANSACTIONAL, "transactional_properties": "insert_only"}
        kinds = [
            session.metastore.table(session.setup.create_table(name, parameters=parameters)).kind
            for name, parameters in (("io", insert_only), ("plain", {}))
        ]
        assert kinds == [TableKind.INSERT_ONLY, TableKind.PLAIN]

    def test_a_table_keeps_its_identity_and_another_has_another(self, session: Session) -> None:
        first, second = session.setup.create_table("first"), session.setup.create_table("second")
        identity = session.metastore.table_identity(first)
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, first)
        session.metastore.drop_statistics(session.metastore.table(first), write_id, session.write_ids(txn_id, first))
        assert session.metastore.table_identity(first) == identity
        if session.metastore.line is MetastoreLine.HIVE_4:  # 3.1 tells seconds apart only
            assert session.metastore.table_identity(second) != identity

    @pytest.mark.parametrize("call", ["table", "table_identity", "partition_names", "partitions", "drop_statistics"])
    @pytest.mark.parametrize("database", [None, "no_such_database"])
    def test_an_unknown_table_is_a_named_error(self, session: Session, call: str, database: str | None) -> None:
        name = TableName(database or session.setup.database, "nowhere")
        was_there = TableDescription(name, "file:/nowhere", ())
        arguments: dict[str, tuple[object, ...]] = {
            "partitions": (name, ["d=1"]),
            "drop_statistics": (was_there, 1, ValidWriteIdList(str(name), 1)),
        }
        with pytest.raises(InvalidStatement) as error:
            getattr(session.metastore, call)(*arguments.get(call, (name,)))
        assert error.value.getCondition() == "HIVE_ACID_TABLE_NOT_FOUND"
        assert str(name) in str(error.value)

    def test_partitions_come_in_the_order_asked_for_and_missing_ones_are_left_out(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(table_calls, "_PARTITIONS_PER_CALL", 2)
        table = session.setup.create_table("parts", partition_columns=["d"])
        for value in "abcde":
            session.setup.add_partition(table, f"d={value}", parameters={"value": value})
        found = session.metastore.partitions(table, ["d=e", "d=nowhere", "d=a", "d=c", "d=b"])
        assert [partition.name for partition in found] == ["d=e", "d=a", "d=c", "d=b"]
        assert [partition.parameters["value"] for partition in found] == ["e", "a", "c", "b"]

    def test_partition_names_are_escaped_and_values_are_not(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d", "e"])
        names = ["d=a%2Fb%3Dc/e=x y", "d=__HIVE_DEFAULT_PARTITION__/e=Grüße", "d=A/e=%25"]
        for name in names:
            session.setup.add_partition(table, name)
        assert session.metastore.partition_names(table) == sorted(names)
        found = session.metastore.partitions(table, names)
        assert [partition.name for partition in found] == names
        values = [partition.values for partition in found]
        assert values == [("a/b=c", "x y"), ("__HIVE_DEFAULT_PARTITION__", "Grüße"), ("A", "%")]

    def test_a_partition_has_its_own_location(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        below = f"{session.metastore.table(table).location}/d=1"
        elsewhere = f"{session.metastore.table(table).location}_elsewhere"
        session.setup.add_partition(table, "d=1")
        session.setup.add_partition(table, "d=2", location=elsewhere)
        locations = [partition.location for partition in session.metastore.partitions(table, ["d=1", "d=2"])]
        assert locations == [below, elsewhere]

    def test_partitions_are_added_once_and_those_that_exist_stay_as_they_are(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        root = session.metastore.table(table).location
        session.setup.add_partition(table, "d=old", parameters={"mine": "kept"}, location=f"{root}_elsewhere")
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        write_ids = session.write_ids(txn_id, table)
        locations = {name: f"{root}/{name}" for name in ("d=old", "d=new", "d=a%2Fb")}
        for _ in range(2):
            session.metastore.add_partitions(table, locations, write_id, write_ids)
        old, new, odd = session.metastore.partitions(table, list(locations))
        assert (old.location, old.parameters["mine"]) == (f"{root}_elsewhere", "kept")
        assert (new.location, odd.location, odd.values) == (f"{root}/d=new", f"{root}/d=a%2Fb", ("a/b",))
        assert "COLUMN_STATS_ACCURATE" not in new.parameters
        session.metastore.drop_partition_statistics(table, ["d=new"], write_id, write_ids)
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.setup.stored_write_id(table, "d=new") == write_id

    def test_a_table_without_partitions_has_no_names(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        assert session.metastore.partition_names(table) == []
        assert session.metastore.partitions(table, []) == []


STALE = ("COLUMN_STATS_ACCURATE", "numRows", "rawDataSize", "totalSize", "spark.sql.statistics.numRows")
"""A minor compaction of Hive 4.1.0 calls the number of rows accurate that it finds."""


class TestStatistics:
    PARAMETERS = {  # noqa: RUF012 (never changed)
        "COLUMN_STATS_ACCURATE": ACCURATE,
        "numRows": "7",
        "totalSize": "700",
        "spark.sql.statistics.numRows": "7",
        "mine": "kept",
    }

    def test_dropping_statistics_takes_the_mark_away_and_moves_the_write_id_of_the_table(
        self, session: Session
    ) -> None:
        table = session.setup.create_table("flat", parameters={**TRANSACTIONAL, **self.PARAMETERS})
        before = session.metastore.table(table)
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        session.metastore.drop_statistics(session.metastore.table(table), write_id, session.write_ids(txn_id, table))
        after = session.metastore.table(table)
        expected = {key: value for key, value in before.parameters.items() if key not in STALE}
        assert "COLUMN_STATS_ACCURATE" in before.parameters
        assert after.parameters == expected
        assert (after.columns, after.location, after.kind) == (before.columns, before.location, before.kind)
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.setup.stored_write_id(table) == write_id

    def test_the_write_id_of_a_table_moves_even_if_it_has_no_statistics(
        self, session: Session, table: TableName
    ) -> None:
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        session.metastore.drop_statistics(session.metastore.table(table), write_id, session.write_ids(txn_id, table))
        if session.metastore.line is MetastoreLine.HIVE_4:
            assert session.setup.stored_write_id(table) == write_id
        assert "COLUMN_STATS_ACCURATE" not in session.metastore.table(table).parameters

    def test_of_a_partitioned_table_only_sparks_numbers_of_the_whole_go(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"], parameters=TRANSACTIONAL | self.PARAMETERS)
        stored_write_id = session.setup.stored_write_id(table)
        before = session.metastore.table(table).parameters
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        session.metastore.drop_statistics(session.metastore.table(table), write_id, session.write_ids(txn_id, table))
        expected = {key: value for key, value in before.items() if not key.startswith("spark.sql.statistics.")}
        assert session.metastore.table(table).parameters == expected
        assert session.setup.stored_write_id(table) == stored_write_id

    def test_dropping_statistics_of_partitions_leaves_the_others_alone(self, session: Session) -> None:
        table = session.setup.create_table("parts", partition_columns=["d"])
        names = ["d=1", "d=2", "d=a%2Fb"]
        for name in names:
            session.setup.add_partition(table, name, parameters=self.PARAMETERS)
        txn_id = session.begin()
        write_id = session.metastore.allocate_write_id(txn_id, table)
        chosen = ["d=a%2Fb", "d=1", "d=nowhere"]
        there = session.metastore.drop_partition_statistics(table, chosen, write_id, session.write_ids(txn_id, table))
        known = {partition.name: partition.location for partition in session.metastore.partitions(table, chosen)}
        assert there == known
        assert set(known) == {"d=a%2Fb", "d=1"}
        marked = [
            partition.name
            for partition in session.metastore.partitions(table, names)
            if "COLUMN_STATS_ACCURATE" in partition.parameters
        ]
        assert marked == ["d=2"]
        assert all(p.parameters["mine"] == "kept" for p in session.metastore.partitions(table, names))
        of_spark = [p.name for p in session.metastore.partitions(table, names) if STALE[-1] in p.parameters]
        assert of_spark == ["d=2"]
        if session.metastore.line is MetastoreLine.HIVE_4:
            stored = [session.setup.stored_write_id(table, name) for name in names]
            assert stored == [write_id, -1, write_id]

    def test_a_list_that_hides_the_writer_is_refused_and_nothing_changes(self, session: Session) -> None:
        table = session.setup.create_table("flat", parameters={**TRANSACTIONAL, **self.PARAMETERS})
        with pytest.raises(HiveAcidError) as error:
            session.metastore.drop_statistics(session.metastore.table(table), 5, ValidWriteIdList(str(table), 4))
        assert error.value.getCondition() == "HIVE_ACID_INTERNAL"
        assert "COLUMN_STATS_ACCURATE" in session.metastore.table(table).parameters


def test_a_setting_that_is_not_set_has_the_default_asked_for(session: Session) -> None:
    assert session.metastore.config_value("hive.no.such.setting", "fallback") == "fallback"
