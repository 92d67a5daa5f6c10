package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/compaction_spec.py.

/** The row IDs of a file without ACID columns. */
final case class RawRows(writeId: Long, property: Int, firstRow: Long)

/** A file that is folded into another. */
final case class FoldedFile(
    path: String,
    lengthBytes: Long,
    minWriteId: Long,
    maxWriteId: Long,
    hasDeletes: Boolean,
    isChecked: Boolean,
    anyBucket: Boolean,
    raw: Option[RawRows]
)

/** A file that a compaction makes. */
final case class CompactedFile(
    folder: String,
    bucket: Int,
    holdsDeletes: Boolean,
    buckets: Int,
    groups: Seq[Seq[Seq[FoldedFile]]]
)

/** One job of compaction. */
final case class CompactionSpec(
    table: String,
    staging: String,
    rowType: String,
    compression: String,
    layout: String,
    fileName: String,
    options: Map[String, String],
    evolution: Evolution,
    writeIds: String,
    deletes: PartitionDeletes,
    files: Seq[CompactedFile],
    columns: Seq[DescribedColumn],
    output: OutputJob
)
