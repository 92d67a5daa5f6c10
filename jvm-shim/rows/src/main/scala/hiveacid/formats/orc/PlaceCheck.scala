package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.ReadErrors
import hiveacid.values.BucketProperty
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, VectorizedRowBatch}
import org.apache.orc.{IntegerColumnStatistics, Reader}

/** The IDs that the place of a file gives its rows.
  *
  * Rows that contradict it belong to another file, whose copy was put here by mistake: returned, they would be seen
  * twice and others be missing. It costs nothing to find out where the file's statistics tell; they are not asked where
  * no row index was written, for then they are not kept up (streaming of Hive 3, its minor compaction).
  *
  * @param firstWriteId
  *   least write ID of the folder
  * @param lastWriteId
  *   greatest write ID of the folder, inclusive
  * @param bucket
  *   the number in the file's name, None if rows of all buckets may be in it
  */
final case class PlaceCheck(
    path: Path,
    firstWriteId: Long,
    lastWriteId: Long,
    bucket: Option[Int],
    errors: ReadErrors
) {
  import PlaceCheck._

  /** The three columns that tell where a row belongs. */
  def check(batch: VectorizedRowBatch): Unit = Columns.foreach { column =>
    val numbers = batch.cols(column).asInstanceOf[LongColumnVector]
    val count = if (numbers.isRepeating) math.min(1, batch.size) else batch.size
    (0 until count).foreach(i => check(column, numbers.vector(i), numbers.vector(i)))
  }

  /** The same by the statistics of a file, where it has them. */
  def checkStatistics(statistics: Int => Option[IntegerColumnStatistics]): Unit = Columns.foreach { column =>
    statistics(column).foreach(s => check(column, s.getMinimum, s.getMaximum))
  }

  /** A delete event, by the property of its victim and its own write ID. */
  def checkDelete(property: Int, writeId: Long): Unit = {
    if (writeId < firstWriteId || writeId > lastWriteId) throw strange(writeId, writeId)
    checkBucket(property)
  }

  private def check(column: Int, least: Long, greatest: Long): Unit =
    if (column == FileSchema.Bucket) Seq(least, greatest).foreach(property => checkBucket(property.toInt))
    else if (least < firstWriteId || greatest > lastWriteId) throw strange(least, greatest)

  private def checkBucket(property: Int): Unit = {
    if (BucketProperty.versionOf(property) > 1)
      throw errors.unsupported(
        path,
        Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_BUCKET_CODEC", Map("property" -> property.toString))
      )
    if (!bucket.forall(_ == BucketProperty.bucketOf(property)))
      throw errors.corrupt(
        path,
        "HIVE_ACID_CORRUPT_FILE.OTHER_BUCKET",
        "bucket" -> BucketProperty.bucketOf(property).toString
      )
  }

  private def strange(least: Long, greatest: Long): AcidException = {
    val found = Map("least" -> least, "greatest" -> greatest, "first" -> firstWriteId, "last" -> lastWriteId)
    errors.corrupt(
      path,
      "HIVE_ACID_CORRUPT_FILE.OTHER_WRITE_IDS",
      found.toSeq.map { case (name, id) => name -> id.toString }: _*
    )
  }
}

object PlaceCheck {
  private val Columns = Seq(FileSchema.OriginalTransaction, FileSchema.Bucket, FileSchema.CurrentTransaction)
  private val BucketFile = "bucket_(\\d+)(?:_\\d+)?".r
  private val VersionKey = "hive.acid.version"
  private val KnownVersion = 2

  /** The columns that `check` reads. */
  def columns: Seq[Int] = Columns

  /** The place of a data file, whose folder's write IDs are `first,last`. */
  def parse(path: Path, writeIds: String, errors: ReadErrors): PlaceCheck = {
    val Array(first, last) = writeIds.split(",").map(_.toLong)
    PlaceCheck(path, first, last, bucketOf(path.getName), errors)
  }

  /** The number in the name of a bucket file, None for other names. */
  def bucketOf(name: String): Option[Int] = name match {
    case BucketFile(number) => Some(number.toInt)
    case _                  => None
  }

  /** Statistics of one of the first five columns, if they are kept. */
  def statistics(reader: Reader, column: Int): Option[IntegerColumnStatistics] =
    reader.getStatistics()(reader.getSchema.getChildren.get(column).getId) match {
      case s: IntegerColumnStatistics if reader.getRowIndexStride > 0 && s.getNumberOfValues > 0 => Some(s)
      case _                                                                                     => None
    }

  /** Refuses a file of a later version of the format than Hive 3 and 4 write. */
  def checkVersion(path: Path, reader: Reader, errors: ReadErrors): Unit = if (reader.hasMetadataValue(VersionKey)) {
    val version = UTF_8.decode(reader.getMetadataValue(VersionKey)).toString
    if (!Try(version.toInt).toOption.exists(_ <= KnownVersion))
      throw errors.unsupported(path, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_VERSION", Map("version" -> version)))
  }
}
