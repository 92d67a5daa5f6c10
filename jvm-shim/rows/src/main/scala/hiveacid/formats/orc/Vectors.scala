package hiveacid.formats.orc

import hiveacid.values.WallClock
import org.apache.hadoop.hive.ql.exec.vector.{
  BytesColumnVector,
  ColumnVector => OrcVector,
  Decimal64ColumnVector,
  DecimalColumnVector,
  DoubleColumnVector,
  ListColumnVector,
  LongColumnVector,
  MapColumnVector,
  StructColumnVector,
  TimestampColumnVector
}

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** The rows of the current batch that a scan returns; shared by all columns of one file. */
final class Selection(capacity: Int) {

  /** Indices of the surviving rows, ascending. */
  val rows = new Array[Int](capacity)

  /** False: every row survives and `rows` is meaningless. */
  var active = false
}

/** A Spark column over an ORC vector, without copying.
  *
  * Spark's own OrcColumnVector is not used: it takes dates and timestamps for values of the hybrid calendar and of the
  * JVM's time zone (Hive stores proleptic days and wall clock), and it is made by a package-private class, which is out
  * of reach with `spark.jars`.
  *
  * @param selection
  *   null for the elements of arrays and maps, which are addressed directly
  */
abstract class OrcColumn(dataType: DataType, vector: OrcVector, selection: Selection) extends ColumnVector(dataType) {

  final protected def at(row: Int): Int =
    if (vector.isRepeating) 0 else if (selection == null || !selection.active) row else selection.rows(row)

  override def close(): Unit = ()
  override def hasNull: Boolean = !vector.noNulls
  override def numNulls: Int = throw unsupported
  override def isNullAt(row: Int): Boolean = !vector.noNulls && vector.isNull(at(row))
  override def getBoolean(row: Int): Boolean = throw unsupported
  override def getByte(row: Int): Byte = throw unsupported
  override def getShort(row: Int): Short = throw unsupported
  override def getInt(row: Int): Int = throw unsupported
  override def getLong(row: Int): Long = throw unsupported
  override def getFloat(row: Int): Float = throw unsupported
  override def getDouble(row: Int): Double = throw unsupported
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = throw unsupported
  override def getUTF8String(row: Int): UTF8String = throw unsupported
  override def getBinary(row: Int): Array[Byte] = throw unsupported
  override def getArray(row: Int): ColumnarArray = throw unsupported
  override def getMap(row: Int): ColumnarMap = throw unsupported
  override def getChild(ordinal: Int): ColumnVector = throw unsupported
  private def unsupported = new UnsupportedOperationException(s"${getClass.getSimpleName} of $dataType")
}

object OrcColumn {

  /** The column of `dataType` over `vector`, whose type must be the one that [[FileSchema]] asks ORC for.
    *
    * @param zone
    *   the session time zone in which the wall clock of a TIMESTAMP is an instant
    */
  def over(dataType: DataType, vector: OrcVector, selection: Selection, zone: WallClock): OrcColumn =
    (dataType, vector) match {
      case (_, v: TimestampColumnVector)              => new TimestampColumn(dataType, v, selection, zone)
      case (_: DecimalType, v: Decimal64ColumnVector) => new Decimal64Column(dataType, v, selection)
      case (_: DecimalType, v: DecimalColumnVector)   => new DecimalColumn(dataType, v, selection)
      case (_, v: LongColumnVector)                   => new LongColumn(dataType, v, selection)
      case (_, v: DoubleColumnVector)                 => new DoubleColumn(dataType, v, selection)
      case (_, v: BytesColumnVector)                  => new BytesColumn(dataType, v, selection)
      case (t: StructType, v: StructColumnVector)     =>
        val children = t.fields.zip(v.fields).map { case (f, c) => over(f.dataType, c, selection, zone) }
        new StructColumn(t, v, selection, children)
      case (t: ArrayType, v: ListColumnVector) =>
        new ArrayColumn(t, v, selection, over(t.elementType, v.child, null, zone))
      case (t: MapType, v: MapColumnVector) =>
        new MapColumn(t, v, selection, over(t.keyType, v.keys, null, zone), over(t.valueType, v.values, null, zone))
      case (t, v) => throw new IllegalStateException(s"no column of type ${t.sql} over ${v.getClass.getSimpleName}")
    }
}

/** Booleans, integers of any width, dates. */
final private class LongColumn(dataType: DataType, v: LongColumnVector, s: Selection)
    extends OrcColumn(dataType, v, s) {
  override def getBoolean(row: Int): Boolean = v.vector(at(row)) != 0
  override def getByte(row: Int): Byte = v.vector(at(row)).toByte
  override def getShort(row: Int): Short = v.vector(at(row)).toShort
  override def getInt(row: Int): Int = v.vector(at(row)).toInt
  override def getLong(row: Int): Long = v.vector(at(row))
}

final private class DoubleColumn(dataType: DataType, v: DoubleColumnVector, s: Selection)
    extends OrcColumn(dataType, v, s) {
  override def getFloat(row: Int): Float = v.vector(at(row)).toFloat
  override def getDouble(row: Int): Double = v.vector(at(row))
}

final private class TimestampColumn(dataType: DataType, v: TimestampColumnVector, s: Selection, zone: WallClock)
    extends OrcColumn(dataType, v, s) {
  private val isInstant = dataType == TimestampType

  override def getLong(row: Int): Long = {
    val i = at(row)
    // `time` holds milliseconds, `nanos` the whole fraction of the second
    val wall = zone.micros(Math.floorDiv(v.time(i), 1000L), v.nanos(i))
    if (isInstant) zone.toInstant(wall) else wall
  }
}

final private class DecimalColumn(dataType: DataType, v: DecimalColumnVector, s: Selection)
    extends OrcColumn(dataType, v, s) {
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else Decimal(v.vector(at(row)).getHiveDecimal.bigDecimalValue, precision, scale)
}

final private class Decimal64Column(dataType: DataType, v: Decimal64ColumnVector, s: Selection)
    extends OrcColumn(dataType, v, s) {
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null else Decimal.createUnsafe(v.vector(at(row)), precision, scale)
}

final private class BytesColumn(dataType: DataType, v: BytesColumnVector, s: Selection)
    extends OrcColumn(dataType, v, s) {
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null
    else {
      val i = at(row)
      UTF8String.fromBytes(v.vector(i), v.start(i), v.length(i))
    }
  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) null
    else {
      val i = at(row)
      java.util.Arrays.copyOfRange(v.vector(i), v.start(i), v.start(i) + v.length(i))
    }
}

/** Its fields are addressed by the struct's own row, so they share its selection. */
final private class StructColumn(dataType: DataType, v: StructColumnVector, s: Selection, children: Array[OrcColumn])
    extends OrcColumn(dataType, v, s) {
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

final private class ArrayColumn(dataType: DataType, v: ListColumnVector, s: Selection, elements: OrcColumn)
    extends OrcColumn(dataType, v, s) {
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null
    else {
      val i = at(row)
      new ColumnarArray(elements, v.offsets(i).toInt, v.lengths(i).toInt)
    }
}

final private class MapColumn(dataType: DataType, v: MapColumnVector, s: Selection, keys: OrcColumn, values: OrcColumn)
    extends OrcColumn(dataType, v, s) {
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null
    else {
      val i = at(row)
      new ColumnarMap(keys, values, v.offsets(i).toInt, v.lengths(i).toInt)
    }
}
