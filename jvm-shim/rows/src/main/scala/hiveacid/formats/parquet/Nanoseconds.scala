package hiveacid.formats.parquet

import java.nio.ByteOrder
import java.time.{LocalDateTime, ZoneId, ZoneOffset}

import scala.jdk.CollectionConverters._

import hiveacid.formats.ReadErrors
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.api.{Binary, Converter, GroupConverter, PrimitiveConverter}
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96

import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Times of INT96 with digits behind the microseconds. Spark's reader cuts these off, so that a time would be written
  * back as another. It reads no times of another form that have such digits.
  */
object Nanoseconds {

  /** Throws HIVE_ACID_UNSUPPORTED_TABLE for a file that holds one. Looks with the first part of the file. */
  def refuse(file: PartitionedFile, conf: Configuration, errors: ReadErrors, zone: ZoneId): Unit =
    if (file.start == 0) {
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file.toPath, conf))
      try find(reader).foreach(errors.lossesOf(zone).nanoseconds)
      finally reader.close()
    }

  private def find(reader: ParquetFileReader): Option[LocalDateTime] = {
    val about = reader.getFooter.getFileMetaData
    val columns = about.getSchema.getColumns.asScala.toSeq.filter(_.getPrimitiveType.getPrimitiveTypeName == INT96)
    val read = about.getSchema.getFields.asScala.filter(field => columns.exists(_.getPath.head == field.getName))
    if (columns.isEmpty) None
    else {
      val schema = new MessageType(about.getSchema.getName, read.asJava)
      reader.setRequestedSchema(schema)
      val groups = Iterator.continually(reader.readNextRowGroup()).takeWhile(_ != null)
      groups.flatMap(group => columns.flatMap(findIn(group, schema, _, about.getCreatedBy))).find(_ => true)
    }
  }

  private def findIn(
      group: PageReadStore,
      schema: MessageType,
      column: ColumnDescriptor,
      createdBy: String
  ): Option[LocalDateTime] = {
    val reader = new ColumnReadStoreImpl(group, Ignoring, schema, createdBy).getColumnReader(column)
    var (left, found) = (reader.getTotalValueCount, Option.empty[LocalDateTime])
    while (left > 0 && found.isEmpty) {
      if (reader.getCurrentDefinitionLevel == column.getMaxDefinitionLevel) found = finer(reader.getBinary)
      reader.consume()
      left -= 1
    }
    found
  }

  /** Nanoseconds of the day, and a Julian day. */
  private def finer(stored: Binary): Option[LocalDateTime] = {
    val bytes = stored.toByteBuffer.order(ByteOrder.LITTLE_ENDIAN)
    val (nanos, day) = (bytes.getLong(bytes.position()), bytes.getInt(bytes.position() + java.lang.Long.BYTES))
    if (nanos % 1000 == 0) None
    else Some(LocalDateTime.ofEpochSecond((day - UnixDay) * 86400L, 0, ZoneOffset.UTC).plusNanos(nanos))
  }

  private val UnixDay = 2440588L

  /** Takes no value: each is looked at where it is read. */
  private object Ignoring extends GroupConverter {
    override def getConverter(field: Int): Converter = this
    override def asPrimitiveConverter(): PrimitiveConverter = new PrimitiveConverter {}
    override def start(): Unit = ()
    override def end(): Unit = ()
  }
}
