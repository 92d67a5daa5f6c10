package hiveacid.wire

import hiveacid.values.RowWrites

// The meaning of the fields stands in hive_acid/wire/rewriting.py.

/** A canonical statement that Python is to rewrite. */
final case class RewriteRequest(
    statement: String,
    table: String,
    properties: Map[String, String],
    dataColumns: Seq[String],
    partitionColumns: Seq[String],
    taken: Seq[String],
    assigned: Seq[String],
    bucketing: Map[String, String]
)

/** The row-change query as SQL text, and which changes it has. */
final case class RewrittenStatement(query: String, writes: RowWrites, stays: Boolean)

/** Where Spark wants a list of columns. */
final case class ColumnGap(text: String, table: Seq[String])

/** A text as Spark's parser takes it, in pieces. */
final case class Respelling(gaps: Seq[ColumnGap], rest: String, creations: Seq[Int])

/** A statement of another engine in Spark's words. */
final case class Translation(text: String, table: Seq[String])

/** An `ALTER TABLE … DROP PARTITION` of all partitions for which a condition is true. */
final case class PartitionDrop(table: Seq[String], condition: String, ifExists: Boolean, purges: Boolean)

/** The statement behind EXPLAIN ACID. */
final case class ExplainedStatement(text: String, formatted: Boolean)

/** A statement of other engines. */
final case class Hint(condition: String, statement: String, table: Seq[String])
