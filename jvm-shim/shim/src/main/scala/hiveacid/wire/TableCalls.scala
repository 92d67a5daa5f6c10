package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/table_calls.py.

/** A clause of a MERGE. */
final case class CalledClause(
    group: String,
    action: String,
    condition: Option[Int],
    keys: Option[Seq[String]],
    values: Option[Seq[Int]]
)

/** A method of `AcidTable` that a client of Spark Connect calls. */
final case class TableCall(
    version: String,
    method: String,
    table: String,
    alias: Option[String],
    frames: Seq[Int],
    condition: Option[Int],
    keys: Seq[String],
    values: Seq[Int],
    clauses: Seq[CalledClause],
    partition: Option[Map[String, Option[String]]],
    statement: Option[OperatorStatement],
    limit: Option[Int]
)

/** A question about a table. */
final case class TableQuestion(table: String, limit: Option[Int], settings: Map[String, String])
