package hiveacid.formats.orc

import java.io.Closeable
import java.util.Locale

import scala.jdk.CollectionConverters._

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.{Evolution, ReadErrors, ValueUse}
import hiveacid.values.ValidWriteIds
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{ColumnVector, LongColumnVector, StructColumnVector, VectorizedRowBatch}
import org.apache.orc.{CompressionKind, OrcFile, Reader, RecordReader}
import org.apache.orc.TypeDescription.RowBatchVersion

import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** A file to read, or the stripes of it that begin within a range of bytes.
  *
  * @param fileBytes
  *   its length at listing, which saves asking the file system again; 0 if that is not known
  * @param deletes
  *   the deletes that concern it, see [[Deletes]]
  * @param valid
  *   the write-ID list to check each row with; None if all rows are visible
  * @param raw
  *   the IDs of its rows if it has no ACID columns
  * @param writeIds
  *   least and greatest write ID of its folder, see [[PlaceCheck]]
  * @param evolution
  *   how it is read if it is older than the table's columns
  * @param anyOperation
  *   whether rows are read that are no inserts, too: those of deletes
  */
final case class SourceFile(
    path: Path,
    start: Long,
    length: Long,
    fileBytes: Long,
    deletes: Option[DeletesSource],
    valid: Option[String],
    raw: Option[RawRows],
    writeIds: Option[String],
    evolution: Evolution,
    anyOperation: Boolean = false
)

/** The questions of a scan to a file.
  *
  * @param tableSchema
  *   the table's columns in order, without partition columns
  * @param required
  *   columns to read, also the parts of ROW__ID by their internal names
  * @param isFlat
  *   true for an insert-only table, whose files have no ACID columns
  * @param wantsIds
  *   whether all ACID columns are to be read
  * @param use
  *   by which a file with encrypted columns may be refused
  */
final case class ScannedColumns(
    tableSchema: StructType,
    required: StructType,
    filters: Seq[Filter],
    batchSize: Int,
    isFlat: Boolean = false,
    wantsIds: Boolean = false,
    use: ValueUse = ValueUse.Shown
)

/** The rows of a file that the snapshot sees, batch after batch. Batches are reused: one is valid until the next is
  * asked for.
  */
final class FileScan(file: SourceFile, columns: ScannedColumns, conf: Configuration, errors: ReadErrors)
    extends Closeable {

  /** The rows that survive of the batch that was read last. */
  val selection = new Selection(columns.batchSize)

  private val path = file.path
  private val deletes = file.deletes.map(new Deletes(_, conf, errors))
  private val valid = file.valid.map(ValidWriteIds.parse)
  private val isFlat = columns.isFlat || file.raw.isDefined
  private val place = file.writeIds.filterNot(_ => isFlat).map(PlaceCheck.parse(path, _, errors))

  private val reader: Reader = errors.guard(path) {
    val read = Calendars.readConf(conf, file.evolution.asHive3)
    val options = OrcFile.readerOptions(read).useUTCTimestamp(true).convertToProlepticGregorian(true)
    OrcFile.createReader(path, if (file.fileBytes > 0) options.maxLength(file.fileBytes) else options)
  }
  private val isHybrid = !reader.writerUsedProlepticGregorian()
  private val opened: Option[Opened] =
    try errors.guard(path)(if (reader.getNumberOfRows == 0) None else Some(new Opened))
    catch { case e: Throwable => reader.close(); throw e }
  private var closed = false

  /** False if the file has no rows: then there are no batches, and nothing else may be asked for. */
  def hasRows: Boolean = opened.isDefined

  /** Where the required columns are. */
  def sources: Seq[Source] = opened.get.schema.sources

  /** The columns of the row, as `sources` number them. */
  def fields: Array[ColumnVector] = opened.get.fields

  /** The batch with the ACID columns. */
  def ids: VectorizedRowBatch = opened.get.ids

  /** Reads the next batch with a row in it that survives; their number, 0 at the end. */
  def read(): Int = if (closed) 0 else opened.fold(0)(o => errors.guard(path)(o.read()))

  override def close(): Unit = if (!closed) {
    closed = true
    try opened.foreach(_.rows.close())
    finally reader.close()
  }

  /** The open scan of a file that has rows. */
  private class Opened {
    val schema: FileSchema = {
      checkSchema()
      PlaceCheck.checkVersion(path, reader, errors)
      FileSchema.resolve(reader.getSchema, columns.tableSchema, columns.required, file.evolution)
    }
    new EncryptedColumns(reader).check(schema.readNames, columns.use, path, errors)
    // data files hold only inserts; unknown where the writer kept no statistics
    private val operationsKnown = isFlat || file.anyOperation || insertsOnly(reader)
    if (operationsKnown) place.foreach(_.checkStatistics(PlaceCheck.statistics(reader, _)))
    private val batch = {
      val version = if (schema.converts) RowBatchVersion.ORIGINAL else RowBatchVersion.USE_DECIMAL64
      schema.reader.createRowBatch(version, columns.batchSize)
    }
    private val synthetic = file.raw.filter(_ => needsRowIds).map { ids =>
      val first = ids.firstRow.getOrElse(throw new IllegalStateException(s"$path was not numbered"))
      new SyntheticIds(ids, first, columns.batchSize)
    }
    // the batch with the ACID columns
    val ids: VectorizedRowBatch = synthetic.fold(batch)(_.batch)
    private val argument = searchArgument()
    private val statistics =
      if (readIds.isEmpty || !operationsKnown || !isWhole) None
      else Some(new IdStatistics(path, reader, readIds, errors))
    val rows: RecordReader = reader.rows(options())
    private val filter =
      if (deletes.isEmpty && valid.isEmpty) None
      else Some(new RowFilter(ids, deletes.orNull, valid.orNull, selection))

    private val older =
      if (schema.row eq schema.wanted) None
      else Some(Hive3Conversions(schema.row, schema.wanted, fields, () => batch.size, isHybrid))

    def fields: Array[ColumnVector] =
      if (isFlat) batch.cols else batch.cols(FileSchema.Row).asInstanceOf[StructColumnVector].fields

    /** The number of rows that survive of the next batch of which any does; 0 at the end. */
    def read(): Int = {
      while (readBatch()) {
        if (!operationsKnown) {
          checkOperations()
          place.foreach(_.check(batch))
        }
        statistics.foreach(_.add(batch))
        val count = filter.fold(batch.size)(_.select())
        if (count > 0) return count
      }
      statistics.foreach(_.finish())
      0
    }

    /** Whether every row of the file is read. */
    private def isWhole = file.start == 0 && file.length >= file.fileBytes && file.fileBytes > 0 && argument.isEmpty

    private def readBatch(): Boolean = {
      // afterwards it would be the position of the next batch, which need not follow this one: ORC skips row groups
      val position = if (synthetic.isDefined) rows.getRowNumber else 0L
      older.foreach(_.open())
      if (mayLackRows) fields.foreach(_.reset())
      val found = rows.nextBatch(batch)
      if (mayLackRows) hideFieldsWithoutRow()
      if (found) older.foreach(_.convert())
      if (found) synthetic.foreach(_.number(position, batch.size))
      found
    }

    /** Deletes have IDs without a row. */
    private def mayLackRows = file.anyOperation && !isFlat

    /** ORC leaves the fields of a struct as they were if it is NULL in the whole batch. */
    private def hideFieldsWithoutRow(): Unit = {
      val row = batch.cols(FileSchema.Row)
      if (row.isRepeating && !row.noNulls && row.isNull(0)) fields.foreach { field =>
        field.noNulls = false
        field.isRepeating = true
        field.isNull(0) = true
      }
    }

    private def needsRowIds =
      columns.wantsIds || deletes.isDefined || schema.sources.exists(_.isInstanceOf[Source.IdColumn])

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
      // where bytes are compressed, damage shows as a rule before ORC comes to the end of a stream
      if (statistics.isDefined && reader.getCompressionKind == CompressionKind.NONE) {
        val columns = readIds.map(reader.getSchema.getChildren.get(_).getId).toSet
        options.dataReader(CheckedDataReader.of(path, reader, columns, conf))
      }
      // ORC finds the columns of an ACID file by their names inside `row`
      argument.foreach(options.searchArgument(_, schema.row.getFieldNames.toArray(Array[String]())))
      options
    }

    private def searchArgument() = {
      val filtered = columns.filters.flatMap(_.references).map(_.toLowerCase(Locale.ROOT)).toSet
      if (!operationsKnown || filtered.isEmpty) None
      else {
        val usable = schema.unconverted.intersect(filtered) -- halfTold
        new SearchArguments(columns.required, usable, dates = !isHybrid).build(columns.filters)
      }
    }

    /** Lower-case names of columns of which the file's statistics tell one bound only, see [[FileStatistics]]. */
    private def halfTold: Set[String] = {
      val (row, statistics) = (FileSchema.rowOf(reader.getSchema), reader.getStatistics)
      val halves = row.getFieldNames.asScala.zip(row.getChildren.asScala).collect {
        case (name, field) if !FileStatistics.areWhole(statistics(field.getId)) => name.toLowerCase(Locale.ROOT)
      }
      halves.toSet
    }

    private def included(): Array[Boolean] = {
      val include = new Array[Boolean](schema.reader.getMaximumId + 1)
      include(0) = true
      readIds.foreach(i => include(schema.reader.getChildren.get(i).getId) = true)
      if (schema.rowIncluded.contains(true)) include(schema.row.getId) = true
      schema.rowIncluded.zipWithIndex.foreach { case (read, i) =>
        val field = schema.row.getChildren.get(i)
        if (read) (field.getId to field.getMaximumId).foreach(include(_) = true)
      }
      include
    }

    /** The ACID columns that are read of the file. */
    private def readIds: Seq[Int] = if (isFlat) Nil else idColumns().distinct.sorted

    private def idColumns(): Seq[Int] = {
      val asked = schema.sources.collect { case Source.IdColumn(i) => i }
      val matched =
        if (deletes.isDefined) Seq(FileSchema.OriginalTransaction, FileSchema.Bucket, FileSchema.RowId) else Nil
      asked ++ matched ++
        Seq(FileSchema.CurrentTransaction).filter(_ => valid.isDefined) ++
        (if (operationsKnown) Nil else FileSchema.Operation +: PlaceCheck.columns) ++
        (if (columns.wantsIds) FileSchema.IdColumns.indices else Nil)
    }

    private def checkSchema(): Unit = {
      val isAcid = FileSchema.isAcid(reader.getSchema)
      if (!isFlat && !isAcid)
        throw errors.corrupt(path, "HIVE_ACID_CORRUPT_FILE.SCHEMA", "schema" -> reader.getSchema.toString)
      if (isFlat && isAcid)
        throw errors.unsupported(path, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.ACID_COLUMNS"))
    }

    private def checkOperations(): Unit = {
      val operations = batch.cols(FileSchema.Operation).asInstanceOf[LongColumnVector]
      val checked = if (operations.isRepeating) math.min(1, batch.size) else batch.size
      if ((0 until checked).exists(operations.vector(_) != 0)) throw notInserts
    }

    /** True if the statistics say that every row is an insert, false if there are none. */
    private def insertsOnly(reader: Reader): Boolean =
      PlaceCheck.statistics(reader, FileSchema.Operation).exists { s =>
        if (s.getMinimum == 0 && s.getMaximum == 0) true
        else if (s.getMinimum > s.getMaximum) false
        else throw notInserts
      }

    private def notInserts: AcidException =
      errors.unsupported(path, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.NOT_INSERTS"))
  }
}
