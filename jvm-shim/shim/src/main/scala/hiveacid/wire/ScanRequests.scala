package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/scan_requests.py.

/** A table in the snapshot of a statement or of a read execution. */
final case class ReadRequest(
    analysed: AnalysedTable,
    together: Seq[String],
    token: Option[String],
    executionId: Long,
    settings: Map[String, String]
)

/** The files of such a table, in these partitions or in all. */
final case class ScanRequest(read: ReadRequest, partitions: Option[Seq[String]], rowIds: Boolean, json: Boolean)
