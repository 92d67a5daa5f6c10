package hiveacid.formats

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow

/** A file of a base, delta or delete delta that is being written.
  *
  * If a call fails, `close()` still releases the stream; what is left must not be used.
  */
trait TableFileWriter extends Closeable {

  /** Rows handed over so far. */
  def rows: Long

  /** The length of the file, once it is finished; 0 if nothing is stored. */
  def bytes: Long

  /** Writes the rest and the footer. */
  def finish(): Unit
}

/** A file of new rows. */
trait NewRowsWriter extends TableFileWriter {
  def write(row: InternalRow): Unit
}
