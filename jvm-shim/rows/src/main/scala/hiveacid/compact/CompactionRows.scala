package hiveacid.compact

import hiveacid.formats.{ReadErrors, ValueUse}
import hiveacid.formats.orc.{
  DeleteFileCheck,
  Deletes,
  FileScan,
  FileSchema,
  PlaceCheck,
  RowBatches,
  RowKey,
  ScannedColumns,
  Selection,
  Source,
  SourceFile
}
import hiveacid.values.{BucketProperty, ValidWriteIds}
import hiveacid.wire.FoldedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{ColumnVector, VectorizedRowBatch}
import org.apache.orc.{OrcFile, Reader, RecordReader}

import org.apache.spark.sql.types.StructType

/** The rows of a data file, in the table's columns. Values are not touched: Spark's own types lack the nanoseconds of a
  * TIMESTAMP and the blanks at the end of a CHAR.
  *
  * @param isFlat
  *   true for a file of an insert-only table, which has no ACID columns
  */
final class DataRows(
    file: SourceFile,
    schema: StructType,
    conf: Configuration,
    errors: ReadErrors,
    isFlat: Boolean = false
) extends RowBatches {
  private val scan = {
    val columns =
      ScannedColumns(schema, schema, Nil, DataRows.BatchRows, isFlat, wantsIds = !isFlat, use = ValueUse.Stored)
    new FileScan(file, columns, conf, errors)
  }

  override def path: Path = file.path
  override def read(): Int = scan.read()
  override def ids: VectorizedRowBatch = scan.ids
  override def selection: Selection = scan.selection
  override def close(): Unit = scan.close()

  // asked for after a batch has been read
  override lazy val columns: Array[ColumnVector] = scan.sources.map {
    case Source.RowField(i) => scan.fields(i)
    case _                  => null
  }.toArray
}

object DataRows {
  val BatchRows = 1024
}

/** The events of a file of deletes: those of one bucket, whose own write IDs count. */
final class DeleteEvents(file: FoldedFile, bucket: Int, writeIds: String, conf: Configuration, errors: ReadErrors)
    extends RowBatches {
  override val path = new Path(file.path)
  private val named = Some(bucket).filterNot(_ => file.anyBucket)
  private val place = PlaceCheck(path, file.minWriteId, file.maxWriteId, named, errors)
  private val valid = Some(writeIds).filter(_ => file.isChecked).map(ValidWriteIds.parse)
  private val reader: Reader =
    errors.guard(path)(OrcFile.createReader(path, OrcFile.readerOptions(conf).maxLength(file.lengthBytes)))
  private val rows: RecordReader =
    try errors.guard(path)(Deletes.events(path, reader, conf, errors))
    catch { case e: Throwable => reader.close(); throw e }
  private val check = new DeleteFileCheck(path, reader, errors)

  override val ids: VectorizedRowBatch = reader.getSchema.createRowBatch(DataRows.BatchRows)
  override val selection = new Selection(DataRows.BatchRows)
  override val columns: Array[ColumnVector] = Array.empty

  override def read(): Int = errors.guard(path) {
    var count = 0
    var found = true
    while (count == 0 && found) {
      found = rows.nextBatch(ids)
      if (found) {
        check.add(ids)
        count = select()
      } else check.finish()
    }
    count
  }

  override def close(): Unit =
    try rows.close()
    finally reader.close()

  private def select(): Int = {
    var (count, row) = (0, 0)
    while (row < ids.size) {
      if (RowKey.value(ids, FileSchema.Operation, row) != 2)
        throw Deletes.noDelete(path, errors)
      val property = RowKey.value(ids, FileSchema.Bucket, row).toInt
      val writeId = RowKey.value(ids, FileSchema.CurrentTransaction, row)
      place.checkDelete(property, writeId)
      if (BucketProperty.bucketOf(property) == bucket && valid.forall(_.isValid(writeId))) {
        selection.rows(count) = row
        count += 1
      }
      row += 1
    }
    selection.active = true
    count
  }
}
