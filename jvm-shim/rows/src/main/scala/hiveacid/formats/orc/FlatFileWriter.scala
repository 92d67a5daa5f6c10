package hiveacid.formats.orc

import hiveacid.formats.{FileSettings, NewRowsWriter, TableFileWriter}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{ColumnVector, StructColumnVector, VectorizedRowBatch}
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.RowBatchVersion

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** Writes an ORC file of an insert-only table: the table's columns and nothing else, with values as in a full ACID
  * table.
  *
  * @param firstColumn
  *   ordinal of the table's first column in the rows that are written
  */
final class FlatFileWriter(
    path: Path,
    conf: Configuration,
    settings: FileSettings,
    columnTypes: Seq[DataType],
    firstColumn: Int,
    zone: WallClock
) extends NewRowsWriter {
  private val schema = TypeDescription.fromString(settings.rowType)
  private val batch = schema.createRowBatch(RowBatchVersion.USE_DECIMAL64, AcidFileWriter.BatchRows)
  private val setter = {
    val row = new StructColumnVector(AcidFileWriter.BatchRows, batch.cols: _*)
    RowSetter.of(columnTypes, schema, row, firstColumn, zone)
  }
  private val writer = if (settings.discards) None else Some(AcidFileWriter.open(path, conf, settings, schema))
  private var written = 0L

  override def rows: Long = written + batch.size
  override def bytes: Long = writer.fold(0L)(_.bytes)

  override def write(row: InternalRow): Unit = {
    setter.set(batch.size, row)
    batch.size += 1
    if (batch.size == AcidFileWriter.BatchRows) flush()
  }

  private def flush(): Unit = {
    written += batch.size
    writer.foreach(_.addRowBatch(batch))
    batch.reset()
  }

  override def finish(): Unit = {
    if (batch.size > 0) flush()
    close()
  }

  /** After `finish` it does nothing. */
  override def close(): Unit = writer.foreach(_.close())
}

/** Writes an ORC file of an insert-only table from batches of others, which are handed over as they are. */
final class CopiedFlatFileWriter(path: Path, conf: Configuration, settings: FileSettings) extends TableFileWriter {
  private val schema = TypeDescription.fromString(settings.rowType)
  private val missing = CompactedFileWriter.nullsOf(schema)
  private val through = new VectorizedRowBatch(missing.length, AcidFileWriter.BatchRows)
  private val writer = AcidFileWriter.open(path, conf, settings, schema)
  private var written = 0L

  override def rows: Long = written
  override def bytes: Long = writer.bytes

  /** The first rows of vectors of the table's columns, null for a column whose values are all NULL. */
  def write(columns: Array[ColumnVector], count: Int): Unit = {
    missing.indices.foreach(i => through.cols(i) = Option(columns(i)).getOrElse(missing(i)))
    through.size = count
    writer.addRowBatch(through)
    written += count
  }

  override def finish(): Unit = close()
  override def close(): Unit = writer.close()
}

/** A file without rows. */
final class EmptyFlatFileWriter(path: Path, conf: Configuration, settings: FileSettings) extends TableFileWriter {
  private val writer = AcidFileWriter.open(path, conf, settings, TypeDescription.fromString(settings.rowType))

  override def rows: Long = 0
  override def bytes: Long = writer.bytes
  override def finish(): Unit = close()
  override def close(): Unit = writer.close()
}
