package hiveacid.orc

import java.io.Closeable
import java.time.ZoneId

import org.apache.hadoop.conf.Configuration
import org.apache.orc.{OrcFile, OrcProto, Reader, RecordReader, TypeDescription}
import org.apache.orc.TypeDescription.RowBatchVersion

import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The batches of one split of an ORC file without ACID columns, of which every row is visible.
  *
  * Batches are reused: one is valid until the next is asked for.
  */
final class FlatFileReader(request: ScanRequest, file: PartitionedFile, conf: Configuration)
    extends Iterator[ColumnarBatch]
    with Closeable {
  private val errors = ReadErrors(request.table)
  private val path = file.toPath
  private val reader: Reader = errors.guard(path) {
    val options = OrcFile.readerOptions(conf).useUTCTimestamp(true).convertToProlepticGregorian(true)
    OrcFile.createReader(path, if (file.fileSize > 0) options.maxLength(file.fileSize) else options)
  }
  private val scan: Option[Scan] =
    try errors.guard(path)(if (reader.getNumberOfRows == 0) None else Some(new Scan))
    catch { case e: Throwable => reader.close(); throw e }
  private var ready: ColumnarBatch = _
  private var closed = false

  override def hasNext: Boolean = {
    if (ready == null && !closed) {
      ready = scan.fold(null: ColumnarBatch)(s => errors.guard(path)(s.read()))
      if (ready == null) close()
    }
    ready != null
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException(path.toString)
    val batch = ready
    ready = null
    batch
  }

  override def close(): Unit = if (!closed) {
    closed = true
    try scan.foreach(_.rows.close())
    finally reader.close()
  }

  private class Scan {
    if (FileSchema.isAcid(reader.getSchema))
      throw errors.unsupported(path, "it is a file of a full ACID table, with columns of row IDs")
    private val schema = {
      val byPosition = file.otherConstantMetadataColumnValues.contains(AcidOrcFileFormat.PositionKey)
      FileSchema.resolve(reader.getSchema, request.tableSchema, request.required, byPosition)
    }
    private val row = schema.row
    private val batch = {
      val version = if (schema.converts) RowBatchVersion.ORIGINAL else RowBatchVersion.USE_DECIMAL64
      row.createRowBatch(version, request.batchSize)
    }
    val rows: RecordReader = reader.rows(options())
    private val result = new ColumnarBatch(columns())

    /** The next batch with a row in it, or null. */
    def read(): ColumnarBatch = {
      while (rows.nextBatch(batch))
        if (batch.size > 0) {
          result.setNumRows(batch.size)
          return result
        }
      null
    }

    private def options(): Reader.Options = {
      val options = reader
        .options()
        .schema(row)
        .include(included())
        .range(file.start, file.length)
        .isSchemaEvolutionCaseAware(false)
        .allowSARGToFilter(false)
        .useSelected(false)
        .skipCorruptRecords(false)
      val footer = reader.getFileTail.getFooter
      val julian = footer.hasCalendar && footer.getCalendar == OrcProto.CalendarKind.JULIAN_GREGORIAN
      new SearchArguments(request.required, schema.unconverted, dates = !julian).build(request.filters).foreach {
        options.searchArgument(_, row.getFieldNames.toArray(Array[String]()))
      }
      options
    }

    private def included(): Array[Boolean] = {
      val include = new Array[Boolean](row.getMaximumId + 1)
      include(0) = true
      schema.rowIncluded.zipWithIndex.foreach { case (read, i) =>
        val field: TypeDescription = row.getChildren.get(i)
        if (read) (field.getId to field.getMaximumId).foreach(include(_) = true)
      }
      include
    }

    private def columns(): Array[ColumnVector] = {
      val zone = new WallClock(ZoneId.of(request.timeZone, ZoneId.SHORT_IDS))
      val all = new Selection(request.batchSize) // inactive: every row counts
      val data = request.required.fields.zip(schema.sources).map {
        case (field, Source.RowField(i)) => OrcColumn.over(field.dataType, batch.cols(i), all, zone)
        case (field, _)                  =>
          val column = new ConstantColumnVector(request.batchSize, field.dataType)
          column.setNull()
          column
      }
      val partition = request.partitionSchema.fields.zipWithIndex.map { case (field, i) =>
        val column = new ConstantColumnVector(request.batchSize, field.dataType)
        ColumnVectorUtils.populate(column, file.partitionValues, i)
        column
      }
      data ++ partition
    }
  }
}
