"""Types as other clients of the metastore may have stored them."""

from __future__ import annotations

from decimal import Decimal

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from integration.conftest import Compactions, Tables


def test_a_table_of_decimals_without_digits_is_written_and_read(tables: Tables, compactions: Compactions) -> None:
    name = tables.create("t", "d DECIMAL(10,0), s STRUCT<decimal: DECIMAL(10,0)>", "PARTITIONED BY (p DECIMAL(10,0))")
    stored = tables.client._raw_table(name)
    for field in (*stored.sd.cols, *stored.partitionKeys):
        field.type = field.type.replace("(10,0)", "")
    stored.parameters = {k: v for k, v in stored.parameters.items() if not k.startswith("spark.sql.")}
    tables.client._change("alter_table_with_environment_context", name.database, name.table, stored, keep_statistics())
    assert [field.type for field in tables.client._raw_table(name).sd.cols] == ["decimal", "struct<decimal:decimal>"]
    tables.sql("REFRESH TABLE t")
    tables.sql("INSERT INTO t VALUES (1, struct(1.4), 7), (2, struct(2.6), 8)")
    tables.sql("UPDATE t SET d = d + 10 WHERE p = 8")
    tables.sql("DELETE FROM t WHERE s.decimal = 1")
    compactions.run(name, CompactionKind.MAJOR, "p=8")
    assert tables.sql("SELECT d, s.decimal, p FROM t") == [(Decimal(12), Decimal(3), Decimal(8))]
