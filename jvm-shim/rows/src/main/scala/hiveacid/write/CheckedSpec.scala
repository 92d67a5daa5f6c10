package hiveacid.write

import java.time.{DateTimeException, ZoneId}
import java.util.Locale

import hiveacid.errors.AcidException
import hiveacid.formats.FileSettings
import hiveacid.values.{BucketProperty, InsertKind, PartitionNames, RowWrites}
import hiveacid.wire.{Buckets, Place, RequiredColumn, Spread, WriteSpec}

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

/** The order of Python for a write job, and what follows from it.
  *
  * @param bucketingTimeZone
  *   in which Hive's servers compute the hash of a TIMESTAMP, None if it needs none
  */
final case class CheckedSpec private (
    message: WriteSpec,
    layout: FileLayout,
    compression: String,
    partitionKeys: Seq[PartitionNames.Key],
    bucketingTimeZone: Option[String]
) {
  def kind: RowWrites = message.writes
  def table: String = message.table
  def timeZone: String = message.timeZone
  def place: Place = message.place
  def buckets: Buckets = message.buckets
  def spread: Spread = message.spread
  def required: Seq[RequiredColumn] = message.required
  def rowType: String = message.layout.rowType

  def isPartitioned: Boolean = partitionKeys.nonEmpty

  /** Whether the values of a new row say in which bucket it is. */
  def isBucketed: Boolean = buckets.columns.nonEmpty

  /** Whether a new version of a row stays in its bucket, also where no new row comes. */
  def keepsBuckets: Boolean = isBucketed || spread.keepsBuckets

  /** An insert whose rows may be written wherever they are. */
  def isFlatInsert: Boolean = kind == InsertKind && !isPartitioned && !isBucketed

  /** An insert whose rows stay in the tasks that have read them, each of which may have rows of any bucket. */
  def isUnshuffledInsert: Boolean = kind == InsertKind && !spread.shufflesInserts && !(isBucketed && maxPieces == 1)

  /** How many tasks may write rows of one bucket, or of one partition in an insert: each has own files. */
  def maxPieces: Int = {
    val statementIds = BucketProperty.Limit + 1 - place.statementId
    kind match {
      case InsertKind if isBucketed && !spread.splitsBuckets => 1
      case InsertKind                                        =>
        if (place.overwrites) spread.maxBuckets else statementIds * spread.maxBuckets // a base has no statement ID
      case _ => statementIds / kind.statements
    }
  }

  /** The statement ID under which a piece of a bucket's victims is deleted. New versions of rows have the next one. */
  def deleteStatement(piece: Int): Int = place.statementId + kind.statements * piece

  /** The bucket of a piece's new rows, unless their values say it. */
  def insertBucket(piece: Int): Int = piece % spread.maxBuckets

  /** The statement ID of a piece's new rows: pieces beyond `maxBuckets` go on with the next one. */
  def insertStatement(piece: Int): Int =
    place.statementId + kind.statements * (piece / spread.maxBuckets + 1) - 1

  def settings: FileSettings =
    FileSettings(place.writeId, rowType, compression, place.discards, asHive3 = message.layout.asHive3)

  /** The name of a file with rows of this bucket. */
  def file(bucket: Int): String = message.layout.fileName.format(bucket)

  /** The folder of a statement's new rows, spelled as every engine reads it. */
  def insertFolder(statementId: Int): String = if (place.overwrites) base else delta(statementId)

  /** The folder that replaces all rows up to the write ID. */
  def base: String = f"base_${place.writeId}%07d"

  private def delta(statementId: Int): String = f"delta_${place.writeId}%07d_${place.writeId}%07d_$statementId%04d"

  /** The folder of a statement's deletes. */
  def deleteDelta(statementId: Int): String = s"delete_${delta(statementId)}"
}

object CheckedSpec {

  /** @throws IllegalArgumentException
    *   for what no write job can do
    */
  def of(message: WriteSpec): CheckedSpec = {
    val layout = FileLayout.of(message.layout.name)
    val compression = message.layout.compression.toUpperCase(Locale.ROOT)
    require(layout.compressions(compression), s"${layout.name} has no compression $compression")
    val (spread, buckets) = (message.spread, message.buckets)
    require(spread.cores >= 1, s"${spread.cores} cores")
    require(
      spread.maxBuckets >= 1 && spread.maxBuckets <= BucketProperty.Limit + 1,
      s"maxBuckets is ${spread.maxBuckets}"
    )
    val isRight = buckets.count >= 1 && buckets.count <= BucketProperty.Limit + 1 && spread.maxBuckets == 1
    require(
      buckets.columns.isEmpty || isRight,
      s"${buckets.count} buckets, ${spread.maxBuckets} for a statement ID"
    )
    val keys = message.layout.partitionColumns.map { column =>
      PartitionNames.Key(column.name, CatalystSqlParser.parseDataType(column.`type`))
    }
    val zone = Some(buckets.timeZone).filter(_.nonEmpty).map(timeZone)
    new CheckedSpec(message, layout, compression, keys, zone)
  }

  private def timeZone(id: String): String =
    try ZoneId.of(id, ZoneId.SHORT_IDS).getId
    catch {
      case e: DateTimeException =>
        val setting = "spark.hiveacid.bucketing.hiveTimeZone"
        val found = Map("setting" -> setting, "value" -> id, "failure" -> e.getMessage)
        throw AcidException("HIVE_ACID_CONFIGURATION.NOT_A_TIME_ZONE", found, e)
    }
}
