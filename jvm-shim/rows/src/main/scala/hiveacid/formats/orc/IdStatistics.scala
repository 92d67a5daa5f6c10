package hiveacid.formats.orc

import hiveacid.errors.AcidException
import hiveacid.formats.ReadErrors
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, VectorizedRowBatch}
import org.apache.orc.{IntegerColumnStatistics, Reader}

/** Compares ID columns of a file that is read to its end with their statistics in its footer: number, minimum, maximum
  * and sum. ORC has no checksums: bytes that storage has changed are read as other IDs, which brings deleted rows back
  * and hides others.
  *
  * @param columns
  *   those that are read, by position
  */
final class IdStatistics(path: Path, reader: Reader, columns: Seq[Int], errors: ReadErrors) {
  private val found = columns.map(new Column(_))
  private val stated = columns.map(PlaceCheck.statistics(reader, _))
  private var rows = 0L

  /** Whether the writer has kept them for every column. */
  def areKept: Boolean = stated.forall(_.isDefined)

  /** How many rows have been counted. */
  def count: Long = rows

  /** Counts the rows of a batch. */
  def add(batch: VectorizedRowBatch): Unit = {
    found.foreach(_.add(batch))
    rows += batch.size
  }

  /** After the last batch.
    *
    * @throws AcidException
    *   HIVE_ACID_CORRUPT_FILE if the footer says otherwise
    */
  def finish(): Unit = {
    if (rows != reader.getNumberOfRows) throw differs("rows", reader.getNumberOfRows, rows)
    found.zip(stated).foreach { case (column, known) => known.foreach(column.compare) }
  }

  /** The error that says so. */
  def differs(what: String, told: Any, counted: Any): AcidException =
    errors.corrupt(
      path,
      "HIVE_ACID_CORRUPT_FILE.OTHER_ROWS",
      "what" -> what,
      "told" -> told.toString,
      "found" -> counted.toString
    )

  /** The statistics of one column. */
  final private class Column(index: Int) {
    private val name = FileSchema.IdColumns(index)._1
    private var least = Long.MaxValue
    private var greatest = Long.MinValue
    private var sum = 0L

    def add(batch: VectorizedRowBatch): Unit = if (batch.size > 0) {
      val numbers = batch.cols(index).asInstanceOf[LongColumnVector]
      if (!numbers.noNulls) refuseNulls(numbers, batch.size)
      if (numbers.isRepeating) {
        val value = numbers.vector(0)
        least = math.min(least, value)
        greatest = math.max(greatest, value)
        sum += value * batch.size
      } else addEach(numbers.vector, batch.size)
    }

    private def addEach(values: Array[Long], size: Int): Unit = {
      var low, high = values(0)
      var total = 0L
      var i = 0
      while (i < size) {
        val value = values(i)
        low = math.min(low, value)
        high = math.max(high, value)
        total += value
        i += 1
      }
      least = math.min(least, low)
      greatest = math.max(greatest, high)
      sum += total
    }

    private def refuseNulls(numbers: LongColumnVector, size: Int): Unit = {
      val checked = if (numbers.isRepeating) 1 else size
      if ((0 until checked).exists(numbers.isNull(_)))
        throw errors.corrupt(path, "HIVE_ACID_CORRUPT_FILE.ROWS_WITHOUT_ID", "column" -> name)
    }

    def compare(known: IntegerColumnStatistics): Unit = {
      if (known.getNumberOfValues != rows) throw differs(s"number of $name", known.getNumberOfValues, rows)
      val hasRange = known.getMinimum <= known.getMaximum
      if (hasRange && (known.getMinimum != least || known.getMaximum != greatest))
        throw differs(name, s"${known.getMinimum} to ${known.getMaximum}", s"$least to $greatest")
      if (known.isSumDefined && known.getSum != sum) throw differs(s"sum of $name", known.getSum, sum)
    }
  }
}
