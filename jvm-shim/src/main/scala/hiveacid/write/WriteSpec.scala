package hiveacid.write

import java.time.{DateTimeException, ZoneId}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import hiveacid.errors.AcidException
import hiveacid.formats.FileSettings
import hiveacid.values.{BucketProperty, DeleteKind, InsertKind, MixedKind, PartitionNames, UpdateKind, WriteKind}

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

/** Python's orders for a write job; see the fields of [[WriteSpec.parse]]. */
final case class WriteSpec(
    kind: WriteKind,
    staging: String,
    writeId: Long,
    statementId: Int,
    rowType: String,
    compression: String,
    timeZone: String,
    cores: Int,
    buckets: Int,
    maxBuckets: Int,
    shufflesInserts: Boolean,
    partitionKeys: Seq[PartitionNames.Key],
    overwrites: Boolean,
    table: String,
    required: Seq[(String, Int)],
    layout: FileLayout,
    fileName: String,
    discards: Boolean,
    bucketColumns: Seq[Int],
    bucketCount: Int,
    bucketingVersion: Int,
    bucketingTimeZone: Option[String],
    asHive3: Boolean
) {
  def isPartitioned: Boolean = partitionKeys.nonEmpty

  /** Whether the values of a new row say in which bucket it is. */
  def isBucketed: Boolean = bucketColumns.nonEmpty

  /** An insert whose rows may be written wherever they are. */
  def isFlatInsert: Boolean = kind == InsertKind && !isPartitioned && !isBucketed

  /** How many tasks may write rows of one bucket, or of one partition in an insert: each has own files. */
  def maxPieces: Int = {
    val statementIds = BucketProperty.Limit + 1 - statementId
    kind match {
      case InsertKind => if (overwrites) maxBuckets else statementIds * maxBuckets // a base has no statement ID
      case _          => statementIds / kind.statements
    }
  }

  /** The statement ID under which a piece of a bucket's victims is deleted. New versions of rows have the next one. */
  def deleteStatement(piece: Int): Int = statementId + kind.statements * piece

  /** The bucket of a piece's new rows, unless their values say it. */
  def insertBucket(piece: Int): Int = piece % maxBuckets

  /** The statement ID of a piece's new rows: pieces beyond `maxBuckets` go on with the next one. */
  def insertStatement(piece: Int): Int = statementId + kind.statements * (piece / maxBuckets + 1) - 1

  def settings: FileSettings = FileSettings(writeId, rowType, compression, discards, asHive3 = asHive3)

  /** The name of a file with rows of this bucket. */
  def file(bucket: Int): String = fileName.format(bucket)

  /** The folder of a statement's new rows, spelled as every engine reads it. */
  def insertFolder(statementId: Int): String = if (overwrites) base else delta(statementId)

  /** A base, which replaces all rows up to the write ID. */
  def base: String = f"base_$writeId%07d"

  private def delta(statementId: Int): String = f"delta_$writeId%07d_$writeId%07d_$statementId%04d"

  /** The folder of a statement's deletes. */
  def deleteDelta(statementId: Int): String = s"delete_${delta(statementId)}"
}

object WriteSpec {

  /** From JSON:
    *   - `kind`: `insert`, `update`, `delete` or `mixed`
    *   - `staging`: URI of an own hidden folder; the result's folders are put there
    *   - `writeId`, `statementId`: of the change, the first statement ID 0 to 4095
    *   - `rowType`: Hive's type text of the table's columns
    *   - `compression`: ZLIB, SNAPPY or NONE; in Parquet SNAPPY, GZIP or UNCOMPRESSED
    *   - `timeZone`: in which a TIMESTAMP's wall clock is written
    *   - `cores`: of the session, from 1
    *   - `buckets`: how many buckets hold rows that a delete or update may change, 0 if that is not known
    *   - `shufflesInserts`: whether an insert brings the rows of a partition together first
    *   - `partitionColumns`: `[name, type]` of the table's partition columns in Hive's spelling, empty for a flat table
    *   - `maxBuckets`: an insert's buckets per statement ID, 1 to 4096
    *   - `overwrites`: whether an insert's rows are a base, which replaces what is there
    *   - `table`: its name, for messages
    *   - `required`: `[name, position]` of each column that must not be NULL in a new row or version
    *   - `layout`: `acid_orc`, `orc` or `parquet`
    *   - `fileName`: the pattern of a file's name, which takes the number of the bucket
    *   - `discards`: whether nothing is stored; what would be is reported as usual, with files of no bytes
    *   - `bucketColumns`: the positions of the columns by whose values new rows are put into `bucketCount` buckets, by
    *     the hash of `bucketingVersion`, 1 or 2 (see [[HiveHash]]); empty if the table is not bucketed. `maxBuckets` is
    *     1 then
    *   - `bucketingTimeZone`: in which Hive's servers compute that hash of a TIMESTAMP, empty if it needs none
    *   - `asHive3`: whether the files are those that Hive 3.1 reads, otherwise Hive 4, where the two differ
    */
  def parse(text: String): WriteSpec = {
    val json = new ObjectMapper().readTree(text)
    def field(name: String): JsonNode =
      Option(json.get(name)).getOrElse(throw new IllegalArgumentException(s"a write job needs $name"))
    val wanted = field("kind").asText
    val kind = Seq(InsertKind, UpdateKind, DeleteKind, MixedKind)
      .find(_.name == wanted)
      .getOrElse(throw new IllegalArgumentException(s"a write job cannot $wanted"))
    val layout = FileLayout.of(field("layout").asText)
    val compression = field("compression").asText.toUpperCase(java.util.Locale.ROOT)
    require(layout.compressions(compression), s"compression $compression is not readable by every engine")
    val maxBuckets = field("maxBuckets").asInt
    require(maxBuckets >= 1 && maxBuckets <= BucketProperty.Limit + 1, s"maxBuckets is $maxBuckets")
    val bucketColumns = field("bucketColumns").elements.asScala.map(_.asInt).toSeq
    val bucketCount = field("bucketCount").asInt
    val isRight = bucketCount >= 1 && bucketCount <= BucketProperty.Limit + 1 && maxBuckets == 1
    require(bucketColumns.isEmpty || isRight, s"$bucketCount buckets, $maxBuckets for a statement ID")
    WriteSpec(
      kind = kind,
      staging = field("staging").asText,
      writeId = field("writeId").asLong,
      statementId = field("statementId").asInt,
      rowType = field("rowType").asText,
      compression = compression,
      timeZone = field("timeZone").asText,
      cores = math.max(1, field("cores").asInt),
      buckets = field("buckets").asInt,
      maxBuckets = maxBuckets,
      shufflesInserts = field("shufflesInserts").asBoolean,
      partitionKeys = field("partitionColumns").elements.asScala.map { column =>
        PartitionNames.Key(column.get(0).asText, CatalystSqlParser.parseDataType(column.get(1).asText))
      }.toSeq,
      overwrites = field("overwrites").asBoolean,
      table = field("table").asText,
      required = field("required").elements.asScala.map(c => (c.get(0).asText, c.get(1).asInt)).toSeq,
      layout = layout,
      fileName = field("fileName").asText,
      discards = field("discards").asBoolean,
      bucketColumns = bucketColumns,
      bucketCount = bucketCount,
      bucketingVersion = field("bucketingVersion").asInt,
      bucketingTimeZone = Option(field("bucketingTimeZone").asText).filter(_.nonEmpty).map(timeZone),
      asHive3 = field("asHive3").asBoolean
    )
  }

  private def timeZone(id: String): String =
    try ZoneId.of(id, ZoneId.SHORT_IDS).getId
    catch {
      case e: DateTimeException =>
        val reason = s"spark.hiveacid.bucketing.hiveTimeZone is '$id', not a time zone: ${e.getMessage}"
        throw AcidException("HIVE_ACID_CONFIGURATION", Map("reason" -> reason), e)
    }
}
