package hiveacid.wire

import com.fasterxml.jackson.annotation.{JsonFormat, JsonIgnore, JsonPropertyOrder}
import com.fasterxml.jackson.databind.annotation.JsonDeserialize

// The meaning of the fields stands in hive_acid/wire/scan_plan.py.

/** A file of a folder. A plan may have a hundred thousand, so it is written as an array of its fields. */
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
@JsonPropertyOrder(Array("path", "lengthBytes", "modifiedMs", "bucket", "firstRow"))
final case class ScanFile(
    path: String,
    lengthBytes: Long,
    modifiedMs: Long,
    bucket: Int,
    @JsonDeserialize(contentAs = classOf[java.lang.Long]) firstRow: Option[Long]
)

/** The IDs that rows of files without ACID columns have in common. */
final case class RawIds(writeId: Long, statementId: Int)

/** A base or delta to read, or the originals of a root. */
final case class ScanFolder(
    path: String,
    minWriteId: Long,
    maxWriteId: Long,
    deletes: Boolean,
    check: Boolean,
    files: Seq[ScanFile],
    raw: Option[RawIds]
)

/** A delete delta to read. */
final case class DeleteFolder(
    path: String,
    minWriteId: Long,
    maxWriteId: Long,
    anyBucket: Boolean,
    check: Boolean,
    files: Seq[ScanFile]
)

/** The deletes of a partition. */
final case class PartitionDeletes(folders: Seq[DeleteFolder], stamp: String) {

  /** Whether events are looked up in a list of write IDs. */
  @JsonIgnore def isChecked: Boolean = folders.exists(_.check)
}

/** A partition by the metastore's name, or the whole of an unpartitioned table. */
final case class PartitionScan(name: String, folders: Seq[ScanFolder], deletes: PartitionDeletes)

/** How files are read that are older than a change of their table's columns. */
final case class Evolution(byPosition: Boolean, asHive3: Boolean)

/** One table in one snapshot. */
final case class TableScan(
    table: String,
    writeIds: String,
    evolution: Evolution,
    jsonRelease: Option[String],
    partitions: Seq[PartitionScan]
)
