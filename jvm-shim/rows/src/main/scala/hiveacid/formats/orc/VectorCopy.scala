package hiveacid.formats.orc

import org.apache.hadoop.hive.ql.exec.vector._

/** Copies single values between vectors of one type. The vectors' own `setElement` fails on decimals within lists and
  * maps of more elements than a batch has rows.
  */
object VectorCopy {

  /** Sets element `j` of `to`, which was not null, to element `i` of `from`; lists and maps must be filled in order. */
  def copy(from: ColumnVector, i: Int, to: ColumnVector, j: Int): Unit = {
    val k = if (from.isRepeating) 0 else i
    if (!from.noNulls && from.isNull(k)) {
      to.noNulls = false
      to.isNull(j) = true
    } else copyValue(from, k, to, j)
  }

  private def copyValue(from: ColumnVector, k: Int, to: ColumnVector, j: Int): Unit = (from, to) match {
    case (f: DecimalColumnVector, t: Decimal64ColumnVector)   => t.vector(j) = f.vector(k).serialize64(t.scale.toInt)
    case (f: DecimalColumnVector, t: DecimalColumnVector)     => t.set(j, f.vector(k))
    case (f: LongColumnVector, t: LongColumnVector)           => t.vector(j) = f.vector(k)
    case (f: DoubleColumnVector, t: DoubleColumnVector)       => t.vector(j) = f.vector(k)
    case (f: BytesColumnVector, t: BytesColumnVector)         => t.setVal(j, f.vector(k), f.start(k), f.length(k))
    case (f: TimestampColumnVector, t: TimestampColumnVector) =>
      t.time(j) = f.time(k)
      t.nanos(j) = f.nanos(k)
    case (f: StructColumnVector, t: StructColumnVector) =>
      f.fields.indices.foreach(c => copy(f.fields(c), k, t.fields(c), j))
    case (f: ListColumnVector, t: ListColumnVector) =>
      val first = append(f, k, t, j)
      t.child.ensureSize(t.childCount, true)
      (0 until f.lengths(k).toInt).foreach(e => copy(f.child, f.offsets(k).toInt + e, t.child, first + e))
    case (f: MapColumnVector, t: MapColumnVector) =>
      val first = append(f, k, t, j)
      t.keys.ensureSize(t.childCount, true)
      t.values.ensureSize(t.childCount, true)
      (0 until f.lengths(k).toInt).foreach { e =>
        copy(f.keys, f.offsets(k).toInt + e, t.keys, first + e)
        copy(f.values, f.offsets(k).toInt + e, t.values, first + e)
      }
    case _ => throw new IllegalArgumentException(s"a ${from.getClass.getSimpleName} is no ${to.getClass.getSimpleName}")
  }

  /** Makes room for the elements; the place of the first. */
  private def append(from: MultiValuedColumnVector, k: Int, to: MultiValuedColumnVector, j: Int): Int = {
    val first = to.childCount
    to.offsets(j) = first
    to.lengths(j) = from.lengths(k)
    to.childCount += from.lengths(k).toInt
    first
  }
}
