package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/scan_requests.py.

/** A table as a scan was analysed on it, and what its query reads beside it. */
final case class ReadTable(analysed: AnalysedTable, together: Seq[String])

/** A table in the snapshot of a statement or of a read execution. */
final case class ReadRequest(table: ReadTable, token: Option[String], executionId: Long, settings: Map[String, String])

/** The files of such a table, in these partitions or in all. */
final case class ScanRequest(read: ReadRequest, partitions: Option[Seq[String]], rowIds: Boolean, json: Boolean)
