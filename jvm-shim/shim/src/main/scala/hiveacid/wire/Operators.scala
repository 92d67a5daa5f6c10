package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/operators.py.

/** A statement about transactions, locks or compactions, which Python has parsed. */
final case class OperatorStatement(
    title: String,
    schema: String,
    table: Option[Seq[String]],
    partition: Map[String, Option[String]],
    clause: Option[String],
    condition: Option[String],
    database: Option[String],
    mustExist: Boolean,
    ofSession: Boolean,
    statement: String,
    explained: Option[String],
    isForeign: Boolean
)

/** The request to run one. */
final case class OperatorRequest(
    title: String,
    statement: String,
    table: Option[String],
    detail: Option[TableDetail],
    parts: Seq[String],
    partitions: Option[Seq[String]],
    transaction: Option[String],
    settings: Map[String, String]
)

/** The answer to it. */
final case class OperatorAnswer(rows: Seq[Seq[Any]], begun: Option[String])

/** A question about a command that is not ours, in a transaction of several statements. */
final case class OtherCommand(node: String, isTemporary: Boolean, transaction: String, settings: Map[String, String])
