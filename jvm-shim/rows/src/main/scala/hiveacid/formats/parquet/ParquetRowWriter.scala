package hiveacid.formats.parquet

import java.time.{ZoneId, ZoneOffset}

import hiveacid.errors.UnwritableValueException
import hiveacid.formats.{CountedOutputFile, FileSettings, NewRowsWriter, TableFileWriter}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Writes a Parquet file that Hive 3.1 and 4 read alike: by Spark's own write support in its legacy form (decimals of
  * fixed length, three-level lists as Hive's own, timestamps as INT96), in the proleptic calendar.
  *
  * A TIMESTAMP is stored as its wall clock in UTC, and the file says so: Hive 4 reads it back by that zone, Hive 3.1 by
  * UTC always. Its days before 1582-10-15 are those that Hive of the metastore's line reads, see [[FileClock]].
  */
final class ParquetRowWriter(
    path: Path,
    conf: Configuration,
    settings: FileSettings,
    columnTypes: Seq[DataType],
    firstColumn: Int,
    zone: ZoneId
) extends NewRowsWriter {
  import ParquetRowWriter._

  private val schema = hiveSchema(settings.rowType)
  private val convert = {
    val clock = new WallClock(zone)
    val stored: Long => Long = if (settings.asHive3) identity else HybridCalendar.ofProlepticMicros
    if (columnTypes.length != schema.length)
      throw new IllegalArgumentException(s"${columnTypes.length} columns cannot be written as ${settings.rowType}")
    val changes = columnTypes.zip(schema).map { case (t, field) =>
      Conversion.toHive(t, field.dataType, micros => stored(clock.toWall(micros)), stored).map(naming(field.name))
    }
    Conversion.row(columnTypes.toArray, changes.toArray, firstColumn)
  }
  private val file = if (settings.discards) None else Some(new CountedOutputFile(path, conf))
  private val writer = file.map(open(_, conf, settings, schema))
  private var written = 0L
  private var closed = false

  override def rows: Long = written
  override def bytes: Long = file.fold(0L)(_.bytes)

  override def write(row: InternalRow): Unit = {
    val values = convert(row)
    writer.foreach(_.write(values))
    written += 1
  }

  override def finish(): Unit = close()

  override def close(): Unit = if (!closed) {
    closed = true
    writer.foreach(_.close())
  }
}

object ParquetRowWriter {
  private val fixedSettings = Map(
    SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key -> "true",
    SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> "INT96",
    SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key -> "false",
    "spark.sql.parquet.variant.annotateLogicalType.enabled" -> "false", // since 4.1
    SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key -> "false",
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "CORRECTED",
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key -> "CORRECTED",
    SQLConf.TIMESTAMP_TYPE.key -> "TIMESTAMP_LTZ" // what Hive's `timestamp` is parsed as
  )

  /** The settings that Spark's write support asks the session for, whatever that is set to. */
  private def fixedConf: SQLConf = {
    val conf = new SQLConf
    fixedSettings.foreach { case (key, value) => conf.setConfString(key, value) }
    conf
  }

  /** The columns in Hive's spelling, with CHAR and VARCHAR. */
  private def hiveSchema(rowType: String): StructType =
    SQLConf.withExistingConf(fixedConf)(CatalystSqlParser.parseDataType(rowType)).asInstanceOf[StructType]

  private def open(
      file: CountedOutputFile,
      conf: Configuration,
      settings: FileSettings,
      schema: StructType
  ): ParquetWriter[InternalRow] = {
    val own = new Configuration(conf)
    fixedSettings.foreach { case (key, value) => own.set(key, value) }
    own.unset(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME)
    ParquetWriteSupport.setSchema(CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema), own)
    SQLConf.withExistingConf(fixedConf) {
      new Builder(file, settings.asHive3)
        .withConf(own)
        .withCompressionCodec(CompressionCodecName.valueOf(settings.compression))
        .withWriterVersion(WriterVersion.PARQUET_1_0)
        .build()
    }
  }

  /** A file without rows. */
  def empty(path: Path, conf: Configuration, settings: FileSettings): TableFileWriter = {
    val types = hiveSchema(settings.rowType).fields.map(_.dataType).toSeq
    new ParquetRowWriter(path, conf, settings, types, 0, ZoneOffset.UTC)
  }

  private def naming(column: String)(change: Conversion.Change): Conversion.Change = value =>
    try change(value)
    catch { case e: UnwritableValueException => throw new UnwritableValueException(e.refusal, column) }

  private class Builder(file: CountedOutputFile, asHive3: Boolean)
      extends ParquetWriter.Builder[InternalRow, Builder](file) {
    override protected def self(): Builder = this
    override protected def getWriteSupport(conf: Configuration): WriteSupport[InternalRow] =
      new HiveWriteSupport(asHive3)
  }

  /** Spark's, with what Hive 4 asks a file for (DataWritableWriteSupport). */
  private class HiveWriteSupport(asHive3: Boolean) extends ParquetWriteSupport {
    override def init(conf: Configuration): WriteSupport.WriteContext = {
      val spark = super.init(conf)
      val metadata = new java.util.HashMap[String, String](spark.getExtraMetaData)
      metadata.put(FileClock.ZoneKey, "UTC")
      metadata.put(FileClock.ProlepticKey, "true")
      if (!asHive3) {
        metadata.put(FileClock.SparkHybridInt96, "")
        metadata.put(FileClock.SparkZone, "UTC")
      }
      metadata.put("writer.zone.conversion.legacy", "false")
      new WriteSupport.WriteContext(spark.getSchema, metadata)
    }
  }
}
