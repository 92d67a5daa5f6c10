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
    writesBack: Boolean,
    isFlat: Boolean = false
)

/** The batches of one split of one file: the rows of its stripes that the snapshot sees.
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
  private val raw = constant(AcidOrcFileFormat.RawKey).map(RawRows.parse)
  private val isFlat = request.isFlat || raw.isDefined
  private val place =
    constant(AcidOrcFileFormat.WriteIdsKey).filterNot(_ => isFlat).map(FilePlace.parse(path, _, errors))

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
      checkSchema()
      FilePlace.checkVersion(path, reader, errors)
      val byPosition = constant(AcidOrcFileFormat.PositionKey).isDefined
      FileSchema.resolve(reader.getSchema, request.tableSchema, request.required, byPosition)
    }
    // data files hold only inserts; unknown where the writer kept no statistics
    private val operationsKnown = isFlat || insertsOnly(reader)
    if (operationsKnown) place.foreach(_.checkStatistics(reader))
    private val batch = {
      val version = if (schema.converts) RowBatchVersion.ORIGINAL else RowBatchVersion.USE_DECIMAL64
      schema.reader.createRowBatch(version, request.batchSize)
    }
    private val synthetic = raw.filter(_ => needsRowIds).map { ids =>
      val first = ids.firstRow.getOrElse(throw new IllegalStateException(s"$path was not numbered"))
      new SyntheticIds(ids, first, request.batchSize)
    }
    // the batch with the ACID columns
    private val ids = synthetic.fold(batch)(_.batch)
    val rows: RecordReader = reader.rows(options())
    private val filter =
      if (deletes.isEmpty && valid.isEmpty) None
      else Some(new RowFilter(ids, deletes.orNull, valid.orNull, selection))
    private val result = new ColumnarBatch(columns())

    /** The next batch with a row in it, or null. */
    def read(): ColumnarBatch = {
      while (readBatch()) {
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

    private def readBatch(): Boolean = {
      // afterwards it would be the position of the next batch, which need not follow this one: ORC skips row groups
      val position = if (synthetic.isDefined) rows.getRowNumber else 0L
      val found = rows.nextBatch(batch)
      if (found) synthetic.foreach(_.number(position, batch.size))
      found
    }

    private def needsRowIds = deletes.isDefined || schema.sources.exists(_.isInstanceOf[Source.IdColumn])

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
          options.searchArgument(s, schema.row.getFieldNames.toArray(Array[String]()))
        }
      }
      options
    }

    private def included(): Array[Boolean] = {
      val include = new Array[Boolean](schema.reader.getMaximumId + 1)
      include(0) = true
      if (!isFlat) idColumns().foreach(i => include(schema.reader.getChildren.get(i).getId) = true)
      if (schema.rowIncluded.contains(true)) include(schema.row.getId) = true
      schema.rowIncluded.zipWithIndex.foreach { case (read, i) =>
        val field = schema.row.getChildren.get(i)
        if (read) (field.getId to field.getMaximumId).foreach(include(_) = true)
      }
      include
    }

    private def idColumns(): Seq[Int] = {
      val asked = schema.sources.collect { case Source.IdColumn(i) => i }
      val matched =
        if (deletes.isDefined) Seq(FileSchema.OriginalTransaction, FileSchema.Bucket, FileSchema.RowId) else Nil
      asked ++ matched ++
        Seq(FileSchema.CurrentTransaction).filter(_ => valid.isDefined) ++
        (if (operationsKnown) Nil else FileSchema.Operation +: FilePlace.columns)
    }

    private def columns(): Array[ColumnVector] = {
      val id = ZoneId.of(request.timeZone, ZoneId.SHORT_IDS)
      val zone = if (request.writesBack) new WallClock(id, errors.lossesOf(id)) else new WallClock(id)
      val fields =
        if (isFlat) batch.cols else batch.cols(FileSchema.Row).asInstanceOf[StructColumnVector].fields
      val data = request.required.fields.zip(schema.sources).map { case (field, source) =>
        source match {
          case Source.RowField(i) => OrcColumn.over(field.dataType, fields(i), selection, zone)
          case Source.IdColumn(i) => OrcColumn.over(field.dataType, ids.cols(i), selection, zone)
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

    private def checkSchema(): Unit = {
      val isAcid = FileSchema.isAcid(reader.getSchema)
      if (!isFlat && !isAcid) throw errors.corrupt(path, s"its schema is ${reader.getSchema}")
      if (isFlat && isAcid)
        throw errors.unsupported(path, "it has ACID columns, but the name or the table of a file without them")
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
