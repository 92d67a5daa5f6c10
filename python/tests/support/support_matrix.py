"""The matrix of statements and kinds of tables: declared here, tried by a test, shown in the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the name everybody knows)

from hive_acid import AcidTable
from support.matrix_lines import NONE, REFUSED, SPARK, YES, Example, Line
from support.table_kinds import (
    BUCKETED,
    FULL_ACID,
    INSERT_ONLY,
    INSERT_ONLY_BUCKETED,
    INSERT_ONLY_KINDS,
    INSERT_ONLY_TEXT,
    KINDS,
    ORIGINALS,
    OTHER,
    PARTITIONED,
    ROWS,
    Kind,
)

_ONLY_ROWS_OF_ACID: Final = dict.fromkeys(INSERT_ONLY_KINDS, REFUSED)
_ONLY_OTHER_FORMATS: Final = {INSERT_ONLY_TEXT: REFUSED}


def _fourth(spark: SparkSession, table: str) -> DataFrame:
    """A new row (4, 'd') for the table, in its own first partition."""
    return spark.table(table).where("id = 1").withColumns({"id": F.lit(4), "name": F.lit("d")})


def _widen(spark: SparkSession, table: str) -> None:
    """Another type for a column of no buckets."""
    spark.sql(f"ALTER TABLE {table} ADD COLUMNS (number INT)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN number TYPE BIGINT")


_D = (*ROWS, (4, "d"))
LINES = (
    Line(
        "`SELECT`, subqueries, joins, views, `CACHE TABLE`, `spark.table`, `EXPLAIN`",
        (
            Example("SELECT id, name FROM {t} WHERE id IN (SELECT id FROM {o})"),
            Example("EXPLAIN SELECT t.name, count(*) FROM {t} t JOIN {o} o ON t.id = o.id GROUP BY t.name"),
        ),
        short="`SELECT`, joins, views, `EXPLAIN`",
    ),
    Line(
        "the hidden column `ROW__ID`",
        (Example("SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid FROM {t}"),),
        dict.fromkeys((*INSERT_ONLY_KINDS, OTHER), NONE),
    ),
    Line(
        "`INSERT INTO … VALUES`, `SELECT`, static, dynamic and mixed `PARTITION (…)`, column list, `BY NAME`, "
        "`DEFAULT`; `df.write.insertInto`; `LOAD DATA`, which leaves the files where they are",
        (
            Example("INSERT INTO {t} VALUES (4, 'd'{v})", _D),
            Example("INSERT INTO {t} (name, id{k}) SELECT 'e', 5{v}", (*_D, (5, "e"))),
            Example("INSERT INTO {t} BY NAME SELECT 6 AS id, 'f' AS name{v} {as_k}", (*_D, (5, "e"), (6, "f"))),
        ),
        _ONLY_OTHER_FORMATS,
        short="`INSERT INTO`",
    ),
    Line(
        "`FROM … INSERT INTO … INSERT OVERWRITE …`, into several transactional tables, as one transaction",
        (Example("FROM {o} INSERT INTO {t} SELECT id + 3, 'd'{v} WHERE id = 1 INSERT INTO {o} SELECT 9, 'z'", _D),),
        {**_ONLY_OTHER_FORMATS, OTHER: "refused beside them"},
    ),
    Line(
        "`DELETE [USING …] [WHERE …]`: subqueries, parameters, functions, `EXECUTE IMMEDIATE`, SQL scripts",
        (Example("DELETE FROM {t} WHERE id = (SELECT max(id) FROM {o})", ROWS[:2]),),
        _ONLY_ROWS_OF_ACID,
        short="`DELETE`",
    ),
    Line(
        "`INSERT OVERWRITE`, from the table itself too, static, dynamic and mixed `PARTITION (…)`, `IF NOT EXISTS`; "
        "`df.write.insertInto(overwrite=True)`",
        (Example("INSERT OVERWRITE {t} SELECT id + 10, name{v} FROM {t} WHERE id > 1", ((12, "b"), (13, "c"))),),
        _ONLY_OTHER_FORMATS,
        short="`INSERT OVERWRITE`",
    ),
    Line(
        "`INSERT INTO … REPLACE WHERE …`; `df.writeTo(…).overwrite(condition)`: the rows for which it is true go, the "
        "new ones must satisfy it; without subqueries",
        (Example("INSERT INTO {t} REPLACE WHERE id > 1 VALUES (4, 'd'{v})", (ROWS[0], (4, "d"))),),
        _ONLY_ROWS_OF_ACID,
        short="`INSERT INTO … REPLACE WHERE`",
    ),
    Line(
        "`INSERT INTO … REPLACE USING (…)`, `REPLACE ON …`, since Spark 4.2: the rows that a new one matches go, by "
        "equal columns or by a condition without subqueries",
        (
            Example(
                "INSERT INTO {t} REPLACE USING (id) VALUES (3, 'd'{v}), (4, 'e'{v})", (*ROWS[:2], (3, "d"), (4, "e"))
            ),
        ),
        _ONLY_ROWS_OF_ACID,
    ),
    Line(
        "`MERGE WITH SCHEMA EVOLUTION`, since Spark 4.0: columns that the source alone has are added, and removed "
        "again if the statement fails",
        (
            Example(
                "MERGE WITH SCHEMA EVOLUTION INTO {t} AS t USING (SELECT 1 AS id, 7 AS more) AS s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET more = s.more"
            ),
        ),
        _ONLY_ROWS_OF_ACID,
    ),
    Line(
        "`INSERT WITH SCHEMA EVOLUTION`, since Spark 4.2",
        (
            Example(
                "INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT *, 5 AS more FROM {t} WHERE id = 1",
                (ROWS[0], *ROWS),
            ),
        ),
        _ONLY_OTHER_FORMATS,
    ),
    Line(
        "`TRUNCATE TABLE [PARTITION (…)]`",
        (Example("TRUNCATE TABLE {t} {part}", ()),),
        _ONLY_OTHER_FORMATS,
        short="`TRUNCATE TABLE`",
    ),
    Line(
        "`UPDATE … SET … [FROM …] [WHERE …]`: subqueries, nested fields, lists of columns, `DEFAULT`, parameters; "
        "partition columns and bucketing columns too, the row moves",
        (Example("UPDATE {t} SET id = id + 10, name = upper(name) WHERE id > 2", (*ROWS[:2], (13, "C"))),),
        _ONLY_ROWS_OF_ACID,
        short="`UPDATE`",
    ),
    Line(
        "`MERGE INTO`: all clauses of Spark, Hive's `INSERT VALUES` without columns, `SET *`, `INSERT *`, the table as "
        "its own source; `df.mergeInto`",
        (
            Example(
                "MERGE INTO {t} t USING (SELECT id + 1 AS i, name AS n FROM {o}) s ON t.id = s.i "
                "WHEN MATCHED AND s.i = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.n "
                "WHEN NOT MATCHED THEN INSERT (id, name{k}) VALUES (s.i, s.n{v})",
                ((1, "a"), (3, "b"), (4, "c")),
            ),
        ),
        _ONLY_ROWS_OF_ACID,
        short="`MERGE INTO`",
    ),
    Line(
        "`df.writeTo(…)`: `append`, `overwritePartitions`, `overwrite(lit(True))`; `df.write.saveAsTable` in each mode "
        "(`overwrite` replaces the rows, not the table)",
        (
            Example(call=lambda spark, t: _fourth(spark, t).writeTo(t).append(), rows=_D),
            Example(call=lambda spark, t: _fourth(spark, t).writeTo(t).overwrite(F.lit(True)), rows=((4, "d"),)),
            Example(
                call=lambda spark, t: _fourth(spark, t).write.mode("append").format("hive").saveAsTable(t),
                rows=((4, "d"),),
            ),
        ),
        {INSERT_ONLY_TEXT: REFUSED},
        short="`df.writeTo(…)`, `df.write.saveAsTable`",
    ),
    Line(
        "`DESCRIBE HISTORY`; `AcidTable`: `toDF`, `alias`, `detail`, `history`",
        (
            Example("DESCRIBE HISTORY {t}"),
            Example(call=lambda spark, t: AcidTable.forName(spark, t).alias("a").toDF().collect()),
            Example(call=lambda spark, t: AcidTable.forName(spark, t).detail().collect()),
            Example(call=lambda spark, t: AcidTable.forName(spark, t).history().collect()),
        ),
        {OTHER: REFUSED},
    ),
    Line(
        "`DESCRIBE DETAIL` and `VACUUM … DRY RUN`, in the manner of Delta",
        (Example("DESCRIBE DETAIL {t}"), Example("VACUUM {t} DRY RUN")),
        {OTHER: NONE},
    ),
    Line(
        "`AcidTable`: `truncate`",
        (Example(call=lambda spark, t: AcidTable.forName(spark, t).truncate(), rows=()),),
        {**_ONLY_OTHER_FORMATS, OTHER: REFUSED},
    ),
    Line(
        "`AcidTable`: `delete`, `update`, `merge`",
        (
            Example(call=lambda spark, t: AcidTable.forName(spark, t).delete("id = 1"), rows=ROWS[1:]),
            Example(
                call=lambda spark, t: AcidTable.forName(spark, t).update("id = 2", {"name": "upper(name)"}),
                rows=((2, "B"), ROWS[2]),
            ),
        ),
        {**_ONLY_ROWS_OF_ACID, OTHER: REFUSED},
    ),
    Line(
        "`EXPLAIN ACID` of an `INSERT`, `INSERT OVERWRITE` or `TRUNCATE`; `hive_acid.dry_run`",
        (Example("EXPLAIN ACID INSERT INTO {t} VALUES (4, 'd'{v})"),),
        {**_ONLY_OTHER_FORMATS, OTHER: REFUSED},
    ),
    Line(
        "`EXPLAIN ACID` of an `UPDATE`, `DELETE` or `MERGE`",
        (Example("EXPLAIN ACID DELETE FROM {t} WHERE id = 1"),),
        {**_ONLY_ROWS_OF_ACID, OTHER: REFUSED},
    ),
    Line(
        "`CREATE TABLE … STORED AS … TBLPROPERTIES ('transactional'='true')`, without `AS SELECT`",
        (Example("DESCRIBE TABLE EXTENDED {t}"),),  # it has made the table
        {ORIGINALS: NONE},
    ),
    Line(
        "the same `… AS SELECT`: dropped again if the query fails; seen without rows until it has ended",
        (Example("CREATE TABLE {t}_as {by} {clauses} AS SELECT id, name{v} {as_k} FROM {o}"),),
        {ORIGINALS: NONE, **_ONLY_OTHER_FORMATS},
        short="`CREATE TABLE … AS SELECT`",
    ),
    Line(
        "`CREATE TABLE … USING orc` with `'transactional'='true'`",
        (Example("CREATE TABLE {t}_u (id INT) USING orc TBLPROPERTIES ('transactional'='true')"),),
        {kind: REFUSED for kind in KINDS if kind is not OTHER},
    ),
    Line(
        "`CREATE TRANSACTIONAL TABLE …`: Hive's spelling of both, and of `LIKE`; without `STORED AS` it is ORC",
        (Example("CREATE TRANSACTIONAL TABLE {t}_n (id INT)"),),
        {ORIGINALS: NONE, OTHER: NONE},
    ),
    Line(
        "`CREATE TABLE … LIKE …` with the properties that make a table transactional; without them it is a plain one, "
        "for properties are not copied",
        (Example("CREATE TABLE {t}_like LIKE {t} {properties}"),),
        {OTHER: NONE},
    ),
    Line(
        "`ALTER TABLE … ADD`, `DROP`, `RENAME PARTITION`, `DROP PARTITION (k > …)` with comparisons, under Hive's "
        "locks",
        (
            Example("ALTER TABLE {t} ADD PARTITION (k = 7)"),
            Example("ALTER TABLE {t} PARTITION (k = 7) RENAME TO PARTITION (k = 8)"),
            Example("ALTER TABLE {t} DROP PARTITION (k = 8)"),
        ),
        {kind: "if partitioned" for kind in KINDS if kind not in (PARTITIONED, OTHER)},
    ),
    Line(
        "`ALTER TABLE … ADD COLUMNS`, `CHANGE COLUMN` of a comment, `RENAME TO`, `SET TBLPROPERTIES`, "
        "`COMMENT ON TABLE`, `ANALYZE TABLE`, `DROP TABLE`, `DROP DATABASE … CASCADE`, under Hive's locks",
        (
            Example("ALTER TABLE {t} SET TBLPROPERTIES ('a' = 'b')"),
            Example("COMMENT ON TABLE {t} IS 'seen'"),
            Example("ANALYZE TABLE {t} COMPUTE STATISTICS"),
            Example("ALTER TABLE {t} ADD COLUMNS (more STRING)"),
            Example("ALTER TABLE {t} CHANGE COLUMN more more STRING COMMENT 'seen'"),
        ),
        short="`ALTER TABLE`, `ANALYZE TABLE`, `DROP TABLE`",
    ),
    Line(
        "`ALTER TABLE … RENAME COLUMN`, of ORC files on metastores of the 4.x line",
        (Example("ALTER TABLE {t} RENAME COLUMN name TO label", None),),
        {INSERT_ONLY: "if ORC", INSERT_ONLY_BUCKETED: "if ORC", INSERT_ONLY_TEXT: REFUSED, OTHER: NONE},
    ),
    Line(
        "`ALTER TABLE … ALTER COLUMN … TYPE` of a wider type, but for columns of buckets",
        (Example(call=_widen),),
        {**_ONLY_OTHER_FORMATS, OTHER: NONE},
    ),
    Line(
        "`DESCRIBE`, `SHOW CREATE TABLE … AS SERDE`, `SHOW PARTITIONS`",
        (Example("DESCRIBE TABLE EXTENDED {t}"), Example("SHOW CREATE TABLE {t} AS SERDE")),
        dict.fromkeys(KINDS, SPARK),
    ),
    Line(
        "`ALTER TABLE … COMPACT 'minor'` and `'major'`, `AcidTable.compact` (`'minor'` by Hive on metastores of the "
        "3.1 line)",
        (
            Example("ALTER TABLE {t} {part} COMPACT 'minor'"),
            Example("ALTER TABLE {t} COMPACT 'major' AND WAIT"),
            Example(call=lambda spark, t: AcidTable.forName(spark, t).compact().collect()),
        ),
        {INSERT_ONLY_TEXT: REFUSED, OTHER: REFUSED},
        short="`ALTER TABLE … COMPACT`, `'major'` and `'minor'`",
    ),
    Line(
        "`OPTIMIZE … [WHERE …]`, Delta's word for a major compaction, of the partitions for which a condition is true",
        (Example("OPTIMIZE {t}"),),
        {**_ONLY_OTHER_FORMATS, OTHER: NONE},
    ),
    Line(
        "`ALTER TABLE … COMPACT 'rebalance'`, on metastores of the 4.x line",
        (Example("ALTER TABLE {t} COMPACT 'rebalance' CLUSTERED INTO 2 BUCKETS"),),
        dict.fromkeys((BUCKETED, *INSERT_ONLY_KINDS, OTHER), REFUSED),
    ),
    Line(
        "`SHOW LOCKS`, `SHOW COMPACTIONS`",
        (Example("SHOW LOCKS {t} {part}"), Example("SHOW COMPACTIONS {t} {part}")),
        {OTHER: YES},
    ),
    Line(
        "everything listed under *refused by name*",
        (Example("MSCK REPAIR TABLE {t}"), Example("ALTER TABLE {t} SET SERDEPROPERTIES ('a' = 'b')")),
        {kind: REFUSED for kind in KINDS if kind is not OTHER},
    ),
)


_SUMMARY_KINDS: Final = (
    ("full ACID (ORC)", FULL_ACID),
    ("insert-only, ORC or Parquet", (INSERT_ONLY, INSERT_ONLY_BUCKETED)),
    ("insert-only, other formats", (INSERT_ONLY_TEXT,)),
    ("not transactional", (OTHER,)),
)
"""The columns of the summary, each of which stands for the kinds that have the same word in all its lines."""


def summary() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and lines of the README's summary, as texts. Raises ValueError if a cell would not be true of all kinds."""
    head = ("Statement", *(title for title, _ in _SUMMARY_KINDS))
    shown = [line for line in LINES if line.short]
    return head, [(line.short, *(_common_word(line, kinds) for _, kinds in _SUMMARY_KINDS)) for line in shown]


def _common_word(line: Line, kinds: Sequence[Kind]) -> str:
    words = {line.cell(kind) for kind in kinds} - {NONE}
    if len(words) != 1:
        raise ValueError(f"{line.short}: no word is true of {[kind.title for kind in kinds]}")
    return words.pop()


def matrix() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and lines, as texts."""
    head = ("Statement", *(kind.title for kind in KINDS))
    return head, [(line.title, *(line.cell(kind) for kind in KINDS)) for line in LINES]
