package hiveacid.compact

import scala.jdk.CollectionConverters._

import hiveacid.formats.ReadErrors
import hiveacid.formats.parquet.{EncryptedParquet, FileClock}
import hiveacid.wire.FoldedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.{DateLogicalTypeAnnotation, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96

/** The meaning of a file's values to its readers. Values of files of one form can lie in one file.
  *
  * @param fields
  *   the schema but for its own name, which engines choose as they like
  * @param clock
  *   what is said of calendar and time zone, if there is a column that they concern
  */
final case class ParquetSchemaKey(fields: Seq[Type], clock: Map[String, String])

/** A file that is folded, its rows, and all that its footer says beside the schema. */
final case class FormedFile(
    file: FoldedFile,
    schema: MessageType,
    form: ParquetSchemaKey,
    rows: Long,
    metadata: Map[String, String]
)

object ParquetSchemaKey {

  /** The keys by which Hive 4 (DataWritableReadSupport) and Spark (DataSourceUtils) tell calendar and zone. */
  private val clockKeys = Set(
    FileClock.ZoneKey,
    FileClock.ProlepticKey,
    "writer.zone.conversion.legacy",
    FileClock.SparkVersion,
    FileClock.SparkZone,
    "org.apache.spark.legacyDateTime",
    FileClock.SparkHybridInt96
  )

  def read(file: FoldedFile, conf: Configuration, errors: ReadErrors): FormedFile = {
    val path = new Path(file.path)
    errors.guard(path) {
      val options =
        HadoopReadOptions.builder(conf, path).withMetadataFilter(ParquetMetadataConverter.NO_FILTER).build()
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options)
      try {
        EncryptedParquet.check(path, reader.getFooter, errors)
        val found = reader.getFooter.getFileMetaData
        val metadata = metadataOf(found)
        val clock =
          if (hasClock(found.getSchema)) metadata.filter(entry => clockKeys(entry._1)) else Map.empty[String, String]
        val form = ParquetSchemaKey(found.getSchema.getFields.asScala.toSeq, clock)
        FormedFile(file, found.getSchema, form, reader.getRecordCount, metadata)
      } finally reader.close()
    }
  }

  /** With what was said by the name of the program alone, which is not that of the file that is made. */
  private def metadataOf(found: FileMetaData): Map[String, String] = {
    val said = found.getKeyValueMetaData.asScala.toMap
    val isOfParquetMr = Option(found.getCreatedBy).exists(_.startsWith("parquet-mr"))
    val hasInt96 = found.getSchema.getColumns.asScala.exists(_.getPrimitiveType.getPrimitiveTypeName == INT96)
    if (hasInt96 && !isOfParquetMr && !said.contains(FileClock.ZoneKey)) said + (FileClock.ZoneKey -> "UTC") else said
  }

  private def hasClock(schema: MessageType): Boolean = schema.getColumns.asScala.exists { column =>
    column.getPrimitiveType.getPrimitiveTypeName == INT96 ||
    (column.getPrimitiveType.getLogicalTypeAnnotation match {
      case _: DateLogicalTypeAnnotation | _: TimestampLogicalTypeAnnotation => true
      case _                                                                => false
    })
  }
}
