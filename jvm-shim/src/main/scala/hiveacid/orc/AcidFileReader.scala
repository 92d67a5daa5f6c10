package hiveacid.orc

import java.io.Closeable
import java.time.ZoneId

import hiveacid.AcidException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, StructColumnVector}
import org.apache.orc.{OrcFile, OrcProto, Reader, RecordReader}
import org.apache.orc.TypeDescription.RowBatchVersion

import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** What a scan asks of each file.
  *
  * @param tableSchema
  *   the table's columns in order, without partition columns
  * @param required
  *   columns to return, also the parts of ROW__ID by their internal names; partition columns follow them
  */
final case class ScanRequest(
    table: String,
    timeZone: String,
    tableSchema: StructType,
    required: StructType,
    partitionSchema: StructType,
    filters: Seq[Filter],
    batchSize: Int,
    writesBack: Boolean
)

/** The batches of one split of one ACID file: the rows of its stripes that the snapshot sees.
  *
  * Batches are reused: one is valid until the next is asked for.
  */
final class AcidFileReader(request: ScanRequest, file: PartitionedFile, conf: Configuration)
    extends Iterator[ColumnarBatch]
    with Closeable {
  import AcidFileReader._

  private val errors = ReadErrors(request.table)
  private val path = file.toPath
  private val selection = new Selection(request.batchSize)
  private val deletes = constant(AcidOrcFileFormat.DeletesKey).map(new Deletes(_, conf, errors))
  private val valid = constant(AcidOrcFileFormat.CheckKey).map(ValidWriteIds.parse)
  private val place = constant(AcidOrcFileFormat.WriteIdsKey).map(FilePlace.parse(path, _, errors))

  private val reader: Reader = errors.guard(path) {
    val options = OrcFile.readerOptions(conf).useUTCTimestamp(true).convertToProlepticGregorian(true)
    // the length at listing saves asking the file system again
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

  private def constant(key: String): Option[String] =
    file.otherConstantMetadataColumnValues.get(key).map(_.toString).filter(_.nonEmpty)

  /** The open scan of a file that has rows. */
  private class Scan {
    private val schema = {
      if (!FileSchema.isAcid(reader.getSchema)) throw errors.corrupt(path, s"its schema is ${reader.getSchema}")
      FilePlace.checkVersion(path, reader, errors)
      FileSchema.resolve(reader.getSchema, request.tableSchema, request.required)
    }
    // data files hold only inserts; unknown where the writer kept no statistics
    private val operationsKnown = insertsOnly(reader)
    if (operationsKnown) place.foreach(_.checkStatistics(reader))
    private val batch = {
      val version = if (schema.converts) RowBatchVersion.ORIGINAL else RowBatchVersion.USE_DECIMAL64
      schema.reader.createRowBatch(version, request.batchSize)
    }
    val rows: RecordReader = reader.rows(options())
    private val filter =
      if (deletes.isEmpty && valid.isEmpty) None
      else Some(new RowFilter(batch, deletes.orNull, valid.orNull, selection))
    private val result = new ColumnarBatch(columns())

    /** The next batch with a row in it, or null. */
    def read(): ColumnarBatch = {
      while (rows.nextBatch(batch)) {
        if (!operationsKnown) {
          checkOperations()
          place.foreach(_.check(batch))
        }
        val count = filter.fold(batch.size)(_.select())
        if (count > 0) {
          result.setNumRows(count)
          return result
        }
      }
      null
    }

    private def options(): Reader.Options = {
      val options = reader
        .options()
        .schema(schema.reader)
        .include(included())
        .range(file.start, file.length)
        .isSchemaEvolutionCaseAware(false)
        .allowSARGToFilter(false)
        .useSelected(false)
        .skipCorruptRecords(false)
      if (operationsKnown) {
        val julian = hasCalendar(reader, OrcProto.CalendarKind.JULIAN_GREGORIAN)
        // ORC finds the columns of an ACID file by their names inside `row`
        val arguments = new SearchArguments(request.required, schema.unconverted, dates = !julian)
        arguments.build(request.filters).foreach { s =>
          options.searchArgument(
            s,
            schema.reader.getChildren.get(FileSchema.Row).getFieldNames.toArray(Array[String]())
          )
        }
      }
      options
    }

    private def included(): Array[Boolean] = {
      val include = new Array[Boolean](schema.reader.getMaximumId + 1)
      val top = schema.reader.getChildren
      def add(column: Int): Unit = include(top.get(column).getId) = true
      include(0) = true
      if (!operationsKnown) {
        add(FileSchema.Operation)
        if (place.isDefined) FilePlace.columns.foreach(add)
      }
      schema.sources.foreach { case Source.IdColumn(i) => add(i); case _ => () }
      if (deletes.isDefined) Seq(FileSchema.OriginalTransaction, FileSchema.Bucket, FileSchema.RowId).foreach(add)
      if (valid.isDefined) add(FileSchema.CurrentTransaction)
      val row = top.get(FileSchema.Row)
      if (schema.rowIncluded.contains(true)) include(row.getId) = true
      schema.rowIncluded.zipWithIndex.foreach { case (read, i) =>
        val field = row.getChildren.get(i)
        if (read) (field.getId to field.getMaximumId).foreach(include(_) = true)
      }
      include
    }

    private def columns(): Array[ColumnVector] = {
      val id = ZoneId.of(request.timeZone, ZoneId.SHORT_IDS)
      val zone = if (request.writesBack) new WallClock(id, errors.skippedClock(id, _)) else new WallClock(id)
      val row = batch.cols(FileSchema.Row).asInstanceOf[StructColumnVector]
      val data = request.required.fields.zip(schema.sources).map { case (field, source) =>
        source match {
          case Source.RowField(i) => OrcColumn.over(field.dataType, row.fields(i), selection, zone)
          case Source.IdColumn(i) => OrcColumn.over(field.dataType, batch.cols(i), selection, zone)
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

    private def checkOperations(): Unit = {
      val operations = batch.cols(FileSchema.Operation).asInstanceOf[LongColumnVector]
      val checked = if (operations.isRepeating) math.min(1, batch.size) else batch.size
      if ((0 until checked).exists(operations.vector(_) != 0)) throw notInserts
    }

    /** True if the statistics say that every row is an insert, false if there are none. */
    private def insertsOnly(reader: Reader): Boolean =
      FilePlace.statistics(reader, FileSchema.Operation).exists { s =>
        if (s.getMinimum == 0 && s.getMaximum == 0) true
        else if (s.getMinimum > s.getMaximum) false
        else throw notInserts
      }

    private def notInserts: AcidException = {
      val reason = "it holds updates or deletes among its rows, as files of ACID version 1 (Hive 2) do"
      errors.unsupported(path, reason)
    }
  }
}

object AcidFileReader {
  private def hasCalendar(reader: Reader, kind: OrcProto.CalendarKind): Boolean =
    reader.getFileTail.getFooter.hasCalendar && reader.getFileTail.getFooter.getCalendar == kind
}
