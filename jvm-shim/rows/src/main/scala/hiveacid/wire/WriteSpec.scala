package hiveacid.wire

import hiveacid.values.RowWrites

// The meaning of the fields stands in hive_acid/wire/write_spec.py.

/** The job of a committer of Hadoop's, which puts files in place. */
final case class OutputJob(id: String, root: String, elsewhere: Map[String, String])

/** Where a job writes, and under which IDs. */
final case class Place(
    staging: String,
    writeId: Long,
    statementId: Int,
    overwrites: Boolean,
    discards: Boolean,
    output: OutputJob
)

/** A column that must not be NULL. */
final case class RequiredColumn(name: String, position: Int)

/** The form of the files. */
final case class Layout(
    name: String,
    fileName: String,
    rowType: String,
    compression: String,
    partitionColumns: Seq[Column],
    asHive3: Boolean
)

/** The buckets of a bucketed table; without columns it has none. */
final case class Buckets(columns: Seq[Int], count: Int, version: Int, timeZone: String)

/** How rows are spread over tasks and files. */
final case class Spread(
    cores: Int,
    victimBuckets: Int,
    maxBuckets: Int,
    shufflesInserts: Boolean,
    splitsBuckets: Boolean,
    keepsBuckets: Boolean
)

/** One write job. */
final case class WriteSpec(
    writes: RowWrites,
    table: String,
    timeZone: String,
    layout: Layout,
    place: Place,
    buckets: Buckets,
    spread: Spread,
    required: Seq[RequiredColumn]
)

/** A folder below staging, complete but for the version file. */
final case class WrittenFolder(
    name: String,
    rows: Long,
    bytes: Long,
    files: Seq[String],
    partition: String,
    sizes: Seq[Long],
    attempts: Seq[String]
)

/** Rows of the target by what happened to them. */
final case class RowCounts(inserted: Long, updated: Long, deleted: Long, replaced: Long) {
  def affected: Long = inserted + updated + deleted
}

/** The folders that a write job left in staging. */
final case class WriteResult(folders: Seq[WrittenFolder], counts: RowCounts)
