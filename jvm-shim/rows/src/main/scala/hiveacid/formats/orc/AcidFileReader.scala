package hiveacid.formats.orc

import java.io.Closeable
import java.time.ZoneId

import hiveacid.formats.{Evolution, ReadErrors, ValueUse}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/** The questions of a scan to each file.
  *
  * @param tableSchema
  *   the table's columns in order, without partition columns
  * @param required
  *   columns to return, also the parts of ROW__ID by their internal names; partition columns follow them
  * @param isFlat
  *   true for an insert-only table, whose files have no ACID columns
  */
final case class ScanRequest(
    table: String,
    timeZone: String,
    tableSchema: StructType,
    required: StructType,
    partitionSchema: StructType,
    filters: Seq[Filter],
    batchSize: Int,
    use: ValueUse,
    isFlat: Boolean = false
)

/** The batches of one split of one file: the rows of its stripes that the snapshot sees.
  *
  * Batches are reused: one is valid until the next is asked for.
  */
final class AcidFileReader(request: ScanRequest, file: PartitionedFile, conf: Configuration)
    extends Iterator[ColumnarBatch]
    with Closeable {
  private val errors = ReadErrors(request.table)
  private val scan = {
    val columns =
      ScannedColumns(
        request.tableSchema,
        request.required,
        request.filters,
        request.batchSize,
        request.isFlat,
        use = request.use
      )
    new FileScan(source, columns, conf, errors)
  }
  private val result =
    try errors.guard(file.toPath)(if (scan.hasRows) new ColumnarBatch(columns()) else null)
    catch { case e: Throwable => scan.close(); throw e }
  private var ready: ColumnarBatch = _
  private var closed = false

  override def hasNext: Boolean = {
    if (ready == null && !closed) {
      val count = errors.readListed(file, conf, mayGrow = !request.isFlat)(scan.read())
      if (count > 0) {
        result.setNumRows(count)
        ready = result
      } else close()
    }
    ready != null
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException(file.toPath.toString)
    ready = null
    result
  }

  override def close(): Unit = {
    closed = true
    scan.close()
  }

  private def source: SourceFile = errors.fetched(file.toPath) {
    def constant(key: String) = file.otherConstantMetadataColumnValues.get(key).map(_.toString).filter(_.nonEmpty)
    SourceFile(
      file.toPath,
      file.start,
      file.length,
      file.fileSize,
      deletes =
        constant(AcidOrcFileFormat.DeletesKey).map(DeletesSource(_, constant(AcidOrcFileFormat.DeletesCheckKey))),
      valid = constant(AcidOrcFileFormat.CheckKey),
      raw = constant(AcidOrcFileFormat.RawKey).map(RawRows.parse),
      writeIds = constant(AcidOrcFileFormat.WriteIdsKey),
      evolution = Evolution.of(file),
      anyOperation = constant(AcidOrcFileFormat.AnyOperationKey).isDefined
    )
  }

  private def columns(): Array[ColumnVector] = {
    val id = ZoneId.of(request.timeZone, ZoneId.SHORT_IDS)
    val zone = if (request.use == ValueUse.WrittenBack) new WallClock(id, errors.lossesOf(id)) else new WallClock(id)
    val data = request.required.fields.zip(scan.sources).map { case (field, source) =>
      source match {
        case Source.RowField(i) => OrcColumn.over(field.dataType, scan.fields(i), scan.selection, zone)
        case Source.IdColumn(i) => OrcColumn.over(field.dataType, scan.ids.cols(i), scan.selection, zone)
        case Source.Missing     =>
          val column = new ConstantColumnVector(request.batchSize, field.dataType)
          column.setNull()
          column
      }
    }
    val partition = request.partitionSchema.fields.zipWithIndex.map { case (field, i) =>
      val column = new ConstantColumnVector(request.batchSize, field.dataType)
      ColumnVectorUtils.populate(column, file.partitionValues, i)
      column
    }
    data ++ partition
  }
}
