package hiveacid.formats.parquet

import java.time.{ZoneId, ZoneOffset}

import scala.jdk.CollectionConverters._

import hiveacid.errors.{Refusal, UnsupportedTypeException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96

/** The meaning of the DATEs and TIMESTAMPs of a file: in which calendar its days are counted, and which zone's wall
  * clock its instants stand for. Both stand at the file's end, or follow from who wrote it.
  *
  * @param asHive3
  *   whether values are those that Hive 3.1 shows. It counts all days in the proleptic calendar. Hive 4 takes days for
  *   those of the hybrid of Julian and Gregorian unless the file says otherwise, and the days of INT96 always (both
  *   seen with 3.1.3 and 4.1.0)
  */
final class FileClock(metadata: FileMetaData, asHive3: Boolean) {
  import FileClock._

  private val said = metadata.getKeyValueMetaData
  private val columns = metadata.getSchema.getColumns.asScala.map(_.getPrimitiveType).toSeq
  // Spark's reader heeds what Spark has said of a file
  private val isOfSpark = said.containsKey(SparkVersion)

  /** Whether DATEs have to be converted from the hybrid calendar. */
  def hasHybridDates: Boolean = !isOfSpark && !Option(said.get(ProlepticKey)).fold(asHive3)(_.toBoolean)

  /** Whether TIMESTAMPs have to be converted from the hybrid calendar. */
  def hasHybridTimestamps: Boolean = !isOfSpark && !asHive3 && columns.exists(_.getPrimitiveTypeName == INT96)

  /** The zone whose wall clock its instants stand for, or None if nobody says: then the instants are instants, as Spark
    * takes them, and as Hive does in the zone of its own process.
    *
    * @param isConverted
    *   what Impala has stored has been turned into instants already (`spark.sql.parquet.int96TimestampConversion`)
    */
  def zone(isConverted: Boolean): Option[ZoneId] =
    columns.flatMap(zoneOf(_, isConverted)).distinct match {
      case Seq(one) => one
      case Seq()    => None
      case _        => throw new UnsupportedTypeException(Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.SEVERAL_CLOCKS"))
    }

  /** None for what is no timestamp. */
  private def zoneOf(column: PrimitiveType, isConverted: Boolean): Option[Option[ZoneId]] =
    column.getLogicalTypeAnnotation match {
      case t: TimestampLogicalTypeAnnotation         => Some(if (t.isAdjustedToUTC) None else Some(ZoneOffset.UTC))
      case _ if column.getPrimitiveTypeName == INT96 => Some(int96(isConverted))
      case _                                         => None
    }

  private def int96(isConverted: Boolean): Option[ZoneId] =
    Option(said.get(ZoneKey)).map(ZoneId.of(_, ZoneId.SHORT_IDS)).orElse {
      // Impala stores the wall clock itself (hive.parquet.timestamp.skip.conversion)
      val isImpalas = !Option(metadata.getCreatedBy).exists(_.startsWith("parquet-mr"))
      if (isImpalas && !isConverted) Some(ZoneOffset.UTC) else None
    }
}

object FileClock {

  /** Under which Hive 4 keeps the zone in which it turned wall clocks into instants (DataWritableWriteSupport). */
  val ZoneKey = "writer.time.zone"

  /** Under which Hive 4 says whether the days of DATEs are proleptic (DataWritableWriteSupport). */
  val ProlepticKey = "writer.date.proleptic"

  /** Under which Spark keeps its release, and that the days of INT96 are those of the hybrid calendar, in a zone. */
  val SparkVersion = "org.apache.spark.version"
  val SparkHybridInt96 = "org.apache.spark.legacyINT96"
  val SparkZone = "org.apache.spark.timeZone"

  /** Reads the file's end. */
  def read(path: Path, conf: Configuration, asHive3: Boolean): FileClock = {
    val options = HadoopReadOptions.builder(conf, path).withMetadataFilter(SKIP_ROW_GROUPS).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
    try new FileClock(reader.getFooter.getFileMetaData, asHive3)
    finally reader.close()
  }
}
