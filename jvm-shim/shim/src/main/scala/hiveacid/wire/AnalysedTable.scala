package hiveacid.wire

// The meaning of the fields stands in hive_acid/model/table_identity.py.

/** The table that a plan was made for, so that Python can tell whether the same table is behind its name when the plan
  * runs.
  */
final case class AnalysedTable(
    table: String,
    createdS: Long,
    location: String,
    inputFormat: String,
    properties: Map[String, String],
    columns: Option[Seq[Column]],
    partitionColumns: Seq[Column],
    bucketColumns: Seq[String],
    bucketCount: Int
)
