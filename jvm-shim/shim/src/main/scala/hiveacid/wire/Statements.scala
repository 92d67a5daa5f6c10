package hiveacid.wire

import hiveacid.values.RowWrites

// The meaning of the fields stands in hive_acid/wire/statements.py.

/** The part that an INSERT OVERWRITE or TRUNCATE replaces. Plans are shown, and a name of `names` may be a subject's.
  */
final case class Overwrite(parts: Seq[String], isDynamic: Boolean, ifNotExists: Boolean, names: Seq[String]) {
  override def toString: String = s"Overwrite($parts, $isDynamic, $ifNotExists, ${names.length} names)"
}

/** The SQL text that a statement was parsed from, or its beginning. */
final case class StatementText(sql: String, position: Int, isWhole: Boolean, names: Seq[String])

/** A writing statement to be run. */
final case class Statement(
    kind: StatementKind,
    target: String,
    writes: RowWrites,
    timeZone: String,
    parallelism: Int,
    transaction: Option[String],
    analysed: Seq[AnalysedTable],
    sources: Seq[String],
    overwrite: Option[Overwrite],
    text: Option[StatementText],
    settings: Map[String, String]
)

/** The milliseconds that a statement was in each phase. */
final case class PhaseTimes(snapshot: Long, lockWait: Long, write: Long, publish: Long, commit: Long)

/** The effects of a statement that was run. */
final case class StatementAnswer(counts: RowCounts, phases: PhaseTimes)

/** The effects that a statement would have, as pairs of an item and its value and as a text for programs. */
final case class DryRunAnswer(facts: Seq[Seq[String]], json: String)

/** A statement of Spark's own that alters tables. */
final case class DdlStatement(
    kind: DdlKind,
    tables: Seq[String],
    partitions: Seq[Seq[String]],
    locations: Seq[String],
    newName: Option[String],
    columnChange: Option[ColumnChange],
    newColumns: Seq[NewColumn],
    settings: Map[String, String]
)

/** Another name or type, in Hive's spelling, for a column. */
final case class ColumnChange(column: String, newName: Option[String], newType: Option[String])

/** Columns that a statement has added for another one. */
final case class AddedColumns(addition: DdlStatement, identity: String, writeId: Long, failure: String)

/** A table that a failed statement has made. */
final case class CreatedTable(table: String, identity: String, failure: String, settings: Map[String, String])
