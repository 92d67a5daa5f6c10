package hiveacid.formats.orc

import java.util.Locale

import hiveacid.errors.{Refusal, UnwritableValueException}
import hiveacid.formats.TextLength
import hiveacid.values.WallClock
import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.exec.vector.{
  BytesColumnVector,
  ColumnVector,
  DateColumnVector,
  Decimal64ColumnVector,
  DecimalColumnVector,
  DoubleColumnVector,
  ListColumnVector,
  LongColumnVector,
  MapColumnVector,
  StructColumnVector,
  TimestampColumnVector
}
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The setters of a table's columns.
  *
  * @param firstColumn
  *   ordinal of the table's first column in the rows that are given
  */
final class RowSetter(names: Array[String], setters: Array[VectorSetter], firstColumn: Int) {

  /** Sets element `i` of each column.
    *
    * @throws UnwritableValueException
    *   names the column
    */
  def set(i: Int, row: SpecializedGetters): Unit = {
    var c = 0
    try
      while (c < setters.length) {
        setters(c).setOrNull(i, row, firstColumn + c)
        c += 1
      }
    catch { case e: UnwritableValueException => throw new UnwritableValueException(e.refusal, names(c)) }
  }
}

object RowSetter {

  /** @param to
    *   the row type
    * @throws IllegalArgumentException
    *   if the columns are not those of the row type
    */
  def of(
      from: Seq[DataType],
      to: TypeDescription,
      row: StructColumnVector,
      firstColumn: Int,
      zone: WallClock
  ): RowSetter = {
    val types = to.getChildren
    if (from.length != types.size)
      throw new IllegalArgumentException(s"${from.length} columns cannot be written as $to")
    val setters = from.indices.map(i => VectorSetter.of(from(i), types.get(i), row.fields(i), zone))
    new RowSetter(to.getFieldNames.toArray(Array[String]()), setters.toArray, firstColumn)
  }
}

/** Puts one value of a row into an ORC vector. */
abstract class VectorSetter {

  /** Sets element `i` from the not-null value at `ordinal` of `row`. Bytes are copied: Spark reuses its rows. */
  def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit

  protected def vector: ColumnVector

  final def setOrNull(i: Int, row: SpecializedGetters, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) {
      vector.noNulls = false
      vector.isNull(i) = true
    } else set(i, row, ordinal)
}

object VectorSetter {

  /** The setter of a column.
    *
    * @param zone
    *   the session time zone whose wall clock an instant is stored as
    * @throws IllegalArgumentException
    *   if the types differ: Spark has cast the rows to the table's types before
    */
  def of(from: DataType, to: TypeDescription, vector: ColumnVector, zone: WallClock): VectorSetter =
    (from, to.getCategory, vector) match {
      case (BooleanType, Category.BOOLEAN, v: LongColumnVector) => long(v)((r, o) => if (r.getBoolean(o)) 1L else 0L)
      case (ByteType, Category.BYTE, v: LongColumnVector)       => long(v)(_.getByte(_).toLong)
      case (ShortType, Category.SHORT, v: LongColumnVector)     => long(v)(_.getShort(_).toLong)
      case (IntegerType, Category.INT, v: LongColumnVector)     => long(v)(_.getInt(_).toLong)
      case (LongType, Category.LONG, v: LongColumnVector)       => long(v)(_.getLong(_))
      case (FloatType, Category.FLOAT, v: DoubleColumnVector)   => double(v)(_.getFloat(_).toDouble)
      case (DoubleType, Category.DOUBLE, v: DoubleColumnVector) => double(v)(_.getDouble(_))
      case (DateType, Category.DATE, v: DateColumnVector)       =>
        v.setUsingProlepticCalendar(true)
        long(v)(_.getInt(_).toLong)
      case (TimestampType, Category.TIMESTAMP, v: TimestampColumnVector)    => new TimestampSetter(v, zone.toWall)
      case (TimestampNTZType, Category.TIMESTAMP, v: TimestampColumnVector) => new TimestampSetter(v, identity)
      case (d: DecimalType, Category.DECIMAL, v) if d.precision == to.getPrecision && d.scale == to.getScale =>
        decimal(d, v)
      // before 4.0 those of a length are no StringType; rows then have them where a value that is not given is NULL
      case (_: StringType | _: CharType | _: VarcharType, Category.STRING, v: BytesColumnVector) => new StringSetter(v)
      case (_: StringType | _: CharType | _: VarcharType, Category.VARCHAR | Category.CHAR, v: BytesColumnVector) =>
        new BoundedStringSetter(v, to.getMaxLength, to.getCategory.getName.toUpperCase(Locale.ROOT))
      case (BinaryType, Category.BINARY, v: BytesColumnVector) => new BinarySetter(v)
      case (s: StructType, Category.STRUCT, v: StructColumnVector) if s.length == to.getChildren.size =>
        val fields =
          s.fields.zipWithIndex.map { case (f, i) => of(f.dataType, to.getChildren.get(i), v.fields(i), zone) }
        new StructSetter(v, fields)
      case (a: ArrayType, Category.LIST, v: ListColumnVector) =>
        new ListSetter(v, of(a.elementType, to.getChildren.get(0), v.child, zone))
      case (m: MapType, Category.MAP, v: MapColumnVector) =>
        val keys = of(m.keyType, to.getChildren.get(0), v.keys, zone)
        val values = of(m.valueType, to.getChildren.get(1), v.values, zone)
        new MapSetter(v, keys, values)
      case _ => throw new IllegalArgumentException(s"a column of type ${from.sql} cannot be written as $to")
    }

  private trait LongGetter { def apply(row: SpecializedGetters, ordinal: Int): Long }

  private trait DoubleGetter { def apply(row: SpecializedGetters, ordinal: Int): Double }

  private def long(v: LongColumnVector)(get: LongGetter): VectorSetter = new VectorSetter {
    override protected def vector: ColumnVector = v
    override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = v.vector(i) = get(row, ordinal)
  }

  private def double(v: DoubleColumnVector)(get: DoubleGetter): VectorSetter = new VectorSetter {
    override protected def vector: ColumnVector = v
    override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = v.vector(i) = get(row, ordinal)
  }

  private def decimal(d: DecimalType, vector: ColumnVector): VectorSetter = vector match {
    case v: Decimal64ColumnVector => long(v)(_.getDecimal(_, d.precision, d.scale).toUnscaledLong)
    case v: DecimalColumnVector   => new DecimalSetter(v, d)
  }
}

final private class TimestampSetter(v: TimestampColumnVector, toWall: Long => Long) extends VectorSetter {
  v.setIsUTC(true)
  v.setUsingProlepticCalendar(true)
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = {
    val micros = toWall(row.getLong(ordinal))
    // ORC rounds seconds towards zero, so it reads these back one second later
    if (micros < 0 && micros >= -999000L)
      throw new UnwritableValueException(Refusal("HIVE_ACID_UNWRITABLE_VALUE.MILLISECONDS_BEFORE_1970"))
    v.time(i) = Math.floorDiv(micros, 1000L)
    v.nanos(i) = (Math.floorMod(micros, 1000000L) * 1000L).toInt
  }
}

final private class DecimalSetter(v: DecimalColumnVector, d: DecimalType) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = {
    val value = row.getDecimal(ordinal, d.precision, d.scale).toJavaBigDecimal
    val decimal = HiveDecimal.create(value)
    // the vector would turn what it cannot hold into NULL
    if (decimal == null || decimal.bigDecimalValue.compareTo(value) != 0)
      throw new UnwritableValueException(Refusal("HIVE_ACID_UNWRITABLE_VALUE.DECIMAL_TOO_LARGE", Map("type" -> d.sql)))
    v.set(i, decimal)
  }
}

private class StringSetter(v: BytesColumnVector) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = set(i, row.getUTF8String(ordinal))

  final protected def set(i: Int, value: UTF8String): Unit = {
    val length = value.numBytes
    v.ensureValPreallocated(length)
    value.writeToMemory(v.getValPreallocatedBytes, Platform.BYTE_ARRAY_OFFSET.toLong + v.getValPreallocatedStart)
    v.setValPreallocated(i, length)
  }
}

final private class BoundedStringSetter(v: BytesColumnVector, maxChars: Int, typeName: String) extends StringSetter(v) {
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit =
    set(i, TextLength.held(row.getUTF8String(ordinal), maxChars, typeName))
}

final private class BinarySetter(v: BytesColumnVector) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = v.setVal(i, row.getBinary(ordinal))
}

final private class StructSetter(v: StructColumnVector, fields: Array[VectorSetter]) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = {
    val struct = row.getStruct(ordinal, fields.length)
    var f = 0
    while (f < fields.length) {
      fields(f).setOrNull(i, struct, f)
      f += 1
    }
  }
}

final private class ListSetter(v: ListColumnVector, elements: VectorSetter) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = {
    val array = row.getArray(ordinal)
    val count = array.numElements()
    val start = v.childCount
    v.offsets(i) = start
    v.lengths(i) = count
    v.childCount += count
    v.child.ensureSize(v.childCount, start != 0)
    var e = 0
    while (e < count) {
      elements.setOrNull(start + e, array, e)
      e += 1
    }
  }
}

final private class MapSetter(v: MapColumnVector, keys: VectorSetter, values: VectorSetter) extends VectorSetter {
  override protected def vector: ColumnVector = v
  override def set(i: Int, row: SpecializedGetters, ordinal: Int): Unit = {
    val map = row.getMap(ordinal)
    val count = map.numElements()
    val start = v.childCount
    v.offsets(i) = start
    v.lengths(i) = count
    v.childCount += count
    v.keys.ensureSize(v.childCount, start != 0)
    v.values.ensureSize(v.childCount, start != 0)
    val (keyArray, valueArray) = (map.keyArray(), map.valueArray())
    var e = 0
    while (e < count) {
      keys.setOrNull(start + e, keyArray, e)
      values.setOrNull(start + e, valueArray, e)
      e += 1
    }
  }
}
