package hiveacid.formats.orc

import java.io.Closeable

import hiveacid.errors.Refusal
import hiveacid.formats.ReadErrors
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{ColumnVector, LongColumnVector, VectorizedRowBatch}

/** The rows or delete events of a file, batch after batch, with their ACID columns. */
trait RowBatches extends Closeable {
  def path: Path

  /** Reads the next batch with a row in it that counts; their number, 0 at the end. Batches are reused. */
  def read(): Int

  /** The ACID columns of the batch, before its row. */
  def ids: VectorizedRowBatch

  /** The table's columns in order, null for one that the file lacks; empty for delete events. */
  def columns: Array[ColumnVector]

  /** The rows of the batch that count. */
  def selection: Selection
}

/** The identity of a row, in the order in which files have rows: by write ID, bucket property as a signed number, row
  * ID; of events about one row the latest comes first (Hive: RecordIdentifier, OrcRawRecordMerger.ReaderKey).
  */
final class RowKey {
  var writeId, property, rowId, current = Long.MinValue

  def set(ids: VectorizedRowBatch, row: Int): Unit = {
    writeId = RowKey.value(ids, FileSchema.OriginalTransaction, row)
    property = RowKey.value(ids, FileSchema.Bucket, row)
    rowId = RowKey.value(ids, FileSchema.RowId, row)
    current = RowKey.value(ids, FileSchema.CurrentTransaction, row)
  }

  def set(other: RowKey): Unit = {
    writeId = other.writeId
    property = other.property
    rowId = other.rowId
    current = other.current
  }

  def isSameRow(other: RowKey): Boolean =
    writeId == other.writeId && property == other.property && rowId == other.rowId

  def compare(other: RowKey): Int =
    if (writeId != other.writeId) java.lang.Long.compare(writeId, other.writeId)
    else if (property != other.property) java.lang.Long.compare(property, other.property)
    else if (rowId != other.rowId) java.lang.Long.compare(rowId, other.rowId)
    else java.lang.Long.compare(other.current, current)

  override def toString: String = s"($writeId, $property, $rowId)"
}

object RowKey {
  def value(ids: VectorizedRowBatch, column: Int, row: Int): Long = {
    val numbers = ids.cols(column).asInstanceOf[LongColumnVector]
    numbers.vector(if (numbers.isRepeating) 0 else row)
  }
}

/** The rows of files that follow each other, in the order of their row IDs. One file is open at a time.
  *
  * @param opens
  *   opens each file when its turn comes
  */
final class SortedRun(opens: Iterator[() => RowBatches], errors: ReadErrors) extends Closeable {
  private var batches: RowBatches = _
  private var count, next = 0
  private val last = new RowKey

  /** The key of the row that comes next. */
  val key = new RowKey

  /** True at a row; False at the end. */
  def hasRow: Boolean = next < count

  /** The batch that the next row is in, and where. */
  def current: RowBatches = batches
  def index: Int = physical(next)

  /** How many rows are left in the batch. */
  def remaining: Int = count - next

  /** The place in the batch of the row that comes `offset` rows after the next. */
  def indexAt(offset: Int): Int = physical(next + offset)

  /** Opens the first file. */
  def start(): Unit = readBatch()

  /** Goes on by `rows`, at most as many as remain in the batch. */
  def advance(rows: Int): Unit = {
    next += rows
    if (next >= count) readBatch() else key.set(batches.ids, index)
  }

  private def physical(row: Int): Int = if (batches.selection.active) batches.selection.rows(row) else row

  private def readBatch(): Unit = {
    count = 0
    next = 0
    while (count == 0 && (batches != null || opens.hasNext)) {
      if (batches == null) batches = opens.next()()
      count = batches.read()
      if (count == 0) {
        batches.close()
        batches = null
      }
    }
    if (count > 0) {
      checkOrder()
      key.set(batches.ids, index)
    }
  }

  /** Hive's readers rely on the order, and so does whoever reads the result. */
  private def checkOrder(): Unit = {
    var row = 0
    while (row < count) {
      key.set(batches.ids, physical(row))
      if (key.compare(last) <= 0) {
        val found = Map("row" -> key.toString, "last" -> last.toString)
        throw errors.unsupported(batches.path, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.ROWS_OUT_OF_ORDER", found))
      }
      last.set(key)
      row += 1
    }
  }

  override def close(): Unit = if (batches != null) batches.close()
}
