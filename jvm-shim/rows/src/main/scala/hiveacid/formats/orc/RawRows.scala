package hiveacid.formats.orc

import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, VectorizedRowBatch}

/** The row IDs of a file without ACID columns: one write ID and bucket property for all rows, and numbers.
  *
  * @param firstRow
  *   the row ID of the file's first row; None if nobody needs row IDs
  */
final case class RawRows(writeId: Long, property: Int, firstRow: Option[Long]) {

  /** The constant that [[AcidOrcFileFormat.RawKey]] has for the file. */
  def format: String = s"$writeId,$property,${firstRow.getOrElse("")}"
}

object RawRows {
  def parse(text: String): RawRows = {
    val Array(writeId, property, firstRow) = text.split(",", -1)
    RawRows(writeId.toLong, property.toInt, Option(firstRow).filter(_.nonEmpty).map(_.toLong))
  }
}

/** The ACID columns that such a file lacks, for one batch of its rows after the other. */
final class SyntheticIds(rows: RawRows, firstRow: Long, capacity: Int) {

  /** The columns before `row`. Its size is that of the batch numbered last. */
  val batch: VectorizedRowBatch = new VectorizedRowBatch(FileSchema.Row, capacity)
  private val numbers = new LongColumnVector(capacity)
  batch.cols.indices.foreach(i => batch.cols(i) = if (i == FileSchema.RowId) numbers else constant(idOf(i)))

  private def idOf(column: Int): Long = column match {
    case FileSchema.Operation => 0L
    case FileSchema.Bucket    => rows.property.toLong
    case _                    => rows.writeId
  }

  private def constant(value: Long): LongColumnVector = {
    val column = new LongColumnVector(capacity)
    column.fill(value)
    column
  }

  /** Numbers `size` rows, which follow each other in the file.
    *
    * @param position
    *   of the first of them in the file, from 0
    */
  def number(position: Long, size: Int): Unit = {
    var i = 0
    while (i < size) {
      numbers.vector(i) = firstRow + position + i
      i += 1
    }
    numbers.isRepeating = false
    batch.size = size
  }
}
