package hiveacid.wire

// The meaning of the fields stands in hive_acid_erasure/messages.py.

/** A file that is searched as it lies on disk. */
final case class SearchedFile(path: String, lengthBytes: Long, modifiedMs: Long, partition: String)

/** One search of a table's files. */
final case class SearchSpec(
    table: String,
    conditions: Seq[String],
    textKeys: Seq[String],
    numberKeys: Seq[String],
    charLengths: Seq[Int],
    evolutions: Seq[Evolution],
    partBytes: Long,
    files: Seq[SearchedFile]
)

/** The result for one file. */
final case class SearchResult(
    path: String,
    rowCount: Long,
    matchCount: Long,
    inStatistics: Boolean,
    inDictionary: Boolean,
    formerColumns: Seq[String],
    problem: Option[String]
)

/** A column, or a field within one, that a key is computed of. */
final case class KeyColumn(name: String, position: Int, dataType: String)

/** The types that the texts of a key depend on. */
final case class KeyDescription(
    parts: Seq[String],
    columns: Seq[KeyColumn],
    padded: Seq[String],
    foreign: Seq[String]
)
