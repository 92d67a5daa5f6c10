package hiveacid.parquet

import java.time.{ZoneId, ZoneOffset}

import scala.jdk.CollectionConverters._

import hiveacid.orc.ReadErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96

/** Which zone's wall clock the instants of a file's TIMESTAMPs stand for. */
object FileClock {

  /** Under which Hive 4 keeps the zone in which it turned wall clocks into instants (DataWritableWriteSupport). */
  val ZoneKey = "writer.time.zone"

  /** @param isConverted
    *   what Impala has stored has been turned into instants already (`spark.sql.parquet.int96TimestampConversion`)
    * @return
    *   the zone, or None if nobody says: then the instants are instants, as Spark takes them, and as Hive does in the
    *   zone of its own process
    */
  def find(path: Path, conf: Configuration, errors: ReadErrors, isConverted: Boolean): Option[ZoneId] = {
    val options = HadoopReadOptions.builder(conf, path).withMetadataFilter(SKIP_ROW_GROUPS).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
    val metadata =
      try reader.getFooter.getFileMetaData
      finally reader.close()
    metadata.getSchema.getColumns.asScala
      .flatMap(c => zoneOf(c.getPrimitiveType, metadata, isConverted))
      .distinct
      .toSeq match {
      case Seq(one) => one
      case Seq()    => None
      case _        => throw errors.unsupported(path, "its timestamps are stored in several ways")
    }
  }

  /** None for what is no timestamp. */
  private def zoneOf(column: PrimitiveType, file: FileMetaData, isConverted: Boolean): Option[Option[ZoneId]] =
    column.getLogicalTypeAnnotation match {
      case t: TimestampLogicalTypeAnnotation         => Some(if (t.isAdjustedToUTC) None else Some(ZoneOffset.UTC))
      case _ if column.getPrimitiveTypeName == INT96 => Some(int96(file, isConverted))
      case _                                         => None
    }

  private def int96(file: FileMetaData, isConverted: Boolean): Option[ZoneId] =
    Option(file.getKeyValueMetaData.get(ZoneKey)).map(ZoneId.of(_, ZoneId.SHORT_IDS)).orElse {
      // Impala stores the wall clock itself (hive.parquet.timestamp.skip.conversion)
      Option.when(!isConverted && !Option(file.getCreatedBy).exists(_.startsWith("parquet-mr")))(ZoneOffset.UTC)
    }
}
