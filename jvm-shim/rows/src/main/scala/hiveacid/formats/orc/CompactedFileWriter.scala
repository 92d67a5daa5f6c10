package hiveacid.formats.orc

import hiveacid.formats.FileSettings
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.RowBatchVersion

/** Writes rows that have been written before, with the row IDs and write IDs they have, or events about them.
  *
  * @param holdsDeletes
  *   true for a file of delete events, which have no row
  */
final class CompactedFileWriter(val path: Path, conf: Configuration, settings: FileSettings, holdsDeletes: Boolean)
    extends AcidFileWriter(path, conf, settings) {
  import CompactedFileWriter._

  private val capacity = AcidFileWriter.BatchRows
  private val kept = FileSchema.OriginalTransaction to FileSchema.CurrentTransaction
  // for batches that are handed over as they are
  private val through = new VectorizedRowBatch(FileSchema.Row + 1, capacity)
  private val missing = nullsOf(rowTypeDescription)
  private val throughRow = new StructColumnVector(capacity, new Array[ColumnVector](rowVector.fields.length): _*)

  constant(FileSchema.Operation, operation)
  column(FileSchema.CurrentTransaction).isRepeating = false
  through.cols(FileSchema.Operation) = column(FileSchema.Operation)
  through.cols(FileSchema.Row) = throughRow
  if (holdsDeletes) leaveRowsOut()
  else rowVector.fields.foreach(prepare)
  clear()

  // also called by the parent's constructor
  override protected def operation: Int = if (holdsDeletes) 2 else 0

  override protected def clear(): Unit = if (!holdsDeletes) rowVector.fields.foreach(_.reset())

  /** The next rows of a run, all in its batch; the run is not moved. */
  def write(run: SortedRun, rows: Int): Unit = {
    val from = run.current
    val isWholeBatch = rows == from.ids.size && !from.selection.active
    if (isWholeBatch && !holdsDeletes) {
      flush()
      kept.foreach(i => through.cols(i) = from.ids.cols(i))
      missing.indices.foreach(i => throughRow.fields(i) = Option(from.columns(i)).getOrElse(missing(i)))
      through.size = rows
      hand(through)
    } else (0 until rows).foreach(writeAt(run, _))
  }

  /** The row that comes `offset` rows after the next. */
  def writeAt(run: SortedRun, offset: Int): Unit = {
    val (ids, row) = (run.current.ids, run.indexAt(offset))
    writeAt(run, offset, RowKey.value(ids, FileSchema.Bucket, row).toInt, RowKey.value(ids, FileSchema.RowId, row))
  }

  /** The same under another bucket property and row ID. */
  def writeAt(run: SortedRun, offset: Int, property: Int, rowId: Long): Unit = {
    val (from, to, row) = (run.current, batch.size, run.indexAt(offset))
    def keep(index: Int): Unit = column(index).vector(to) = RowKey.value(from.ids, index, row)
    keep(FileSchema.OriginalTransaction)
    keep(FileSchema.CurrentTransaction)
    column(FileSchema.Bucket).vector(to) = property.toLong
    column(FileSchema.RowId).vector(to) = rowId
    val fields = rowVector.fields
    var c = 0
    while (!holdsDeletes && c < fields.length) {
      val values = from.columns(c)
      if (values == null) {
        fields(c).noNulls = false
        fields(c).isNull(to) = true
      } else VectorCopy.copy(values, row, fields(c), to)
      c += 1
    }
    added()
  }
}

object CompactedFileWriter {

  /** For each field of a row a vector of which every value is NULL. */
  private[hiveacid] def nullsOf(row: TypeDescription): Array[ColumnVector] = {
    val vectors = row.createRowBatch(RowBatchVersion.USE_DECIMAL64, AcidFileWriter.BatchRows).cols
    vectors.foreach(setNull)
    vectors
  }

  private def setNull(vector: ColumnVector): Unit = {
    vector.noNulls = false
    vector.isRepeating = true
    vector.isNull(0) = true
  }

  /** Says of what calendar and clock the values will be, which is what files are read with. */
  private def prepare(vector: ColumnVector): Unit = vector match {
    case v: DateColumnVector      => v.setUsingProlepticCalendar(true)
    case v: TimestampColumnVector =>
      v.setIsUTC(true)
      v.setUsingProlepticCalendar(true)
    case v: StructColumnVector => v.fields.foreach(prepare)
    case v: ListColumnVector   => prepare(v.child)
    case v: MapColumnVector    =>
      prepare(v.keys)
      prepare(v.values)
    case _ =>
  }
}
