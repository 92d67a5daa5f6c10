package hiveacid.formats.parquet

import hiveacid.formats.TextLength

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, SpecializedGetters}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Changes values of rows on their way to or from a file, also inside of structs, arrays and maps. */
object Conversion {
  type Change = Any => Any

  /** The change of a type that holds times: of an instant, of a wall clock (TIMESTAMP_NTZ), and of a DATE's day if
    * there is one; None for others.
    */
  def ofTimes(t: DataType, instant: Long => Long, wall: Long => Long, day: Option[Int => Int]): Option[Change] =
    t match {
      case TimestampType    => Some(value => instant(value.asInstanceOf[Long]))
      case TimestampNTZType => Some(value => wall(value.asInstanceOf[Long]))
      case DateType         => day.map(change => value => change(value.asInstanceOf[Int]))
      case other            => within(other, children(other).map(ofTimes(_, instant, wall, day)))
    }

  /** Whether the type holds one for which this is so. */
  def holds(t: DataType)(isMeant: DataType => Boolean): Boolean = isMeant(t) || children(t).exists(holds(_)(isMeant))

  /** The columns as the file's timestamps are read first. */
  def withInstants(schema: StructType): StructType =
    StructType(schema.map(field => field.copy(dataType = withInstants(field.dataType))))

  private def withInstants(t: DataType): DataType = t match {
    case TimestampNTZType => TimestampType
    case s: StructType    => withInstants(s)
    case a: ArrayType     => a.copy(elementType = withInstants(a.elementType))
    case m: MapType       => m.copy(keyType = withInstants(m.keyType), valueType = withInstants(m.valueType))
    case other            => other
  }

  /** The part of a longer text that a column of CHAR or VARCHAR holds, which a file from before the type was changed
    * may have.
    *
    * @param t
    *   the type that is read, maybe with fewer nested fields
    * @param hive
    *   the column's, with CHAR and VARCHAR
    */
  def ofLengths(t: DataType, hive: DataType): Option[Change] = (t, hive) match {
    case (_: StringType, c: CharType)    => Some(_.asInstanceOf[UTF8String].substring(0, c.length))
    case (_: StringType, v: VarcharType) => Some(_.asInstanceOf[UTF8String].substring(0, v.length))
    case (s: StructType, h: StructType)  =>
      within(
        t,
        s.fields.toSeq.map(f => h.find(_.name.equalsIgnoreCase(f.name)).flatMap(g => ofLengths(f.dataType, g.dataType)))
      )
    case _ => within(t, children(t).zip(children(hive)).map { case (child, inHive) => ofLengths(child, inHive) })
  }

  /** The form in which Hive stores a value: a TIMESTAMP as its wall clock, taken as if it were in UTC, and CHAR without
    * its trailing blanks (DataWritableWriter of 3.1.3). A text that is too long for its column is refused.
    *
    * @param hive
    *   the type with CHAR and VARCHAR
    * @param instant
    *   what is stored of an instant
    * @param wall
    *   what is stored of a wall clock (TIMESTAMP_NTZ)
    */
  def toHive(t: DataType, hive: DataType, instant: Long => Long, wall: Long => Long): Option[Change] = (t, hive) match {
    case (TimestampType, _)    => Some(value => instant(value.asInstanceOf[Long]))
    case (TimestampNTZType, _) => Some(value => wall(value.asInstanceOf[Long]))
    // before 4.0 those of a length are no StringType
    case (_: StringType | _: CharType, c: CharType) =>
      Some(value => TextLength.held(value.asInstanceOf[UTF8String], c.length, "CHAR").trimRight())
    case (_: StringType | _: VarcharType, v: VarcharType) =>
      Some(value => TextLength.held(value.asInstanceOf[UTF8String], v.length, "VARCHAR"))
    case _ =>
      within(t, children(t).zip(children(hive)).map { case (child, inHive) => toHive(child, inHive, instant, wall) })
  }

  /** The row with its fields changed; fields without a change are taken as they are. */
  def row(types: Array[DataType], changes: Array[Option[Change]], from: Int = 0): SpecializedGetters => InternalRow =
    source => {
      val values = new Array[Any](types.length)
      var i = 0
      while (i < types.length) {
        if (!source.isNullAt(from + i)) {
          val value = source.get(from + i, types(i))
          values(i) = changes(i).fold(value: Any)(_(value))
        }
        i += 1
      }
      new GenericInternalRow(values)
    }

  private def children(t: DataType): Seq[DataType] = t match {
    case s: StructType => s.fields.map(_.dataType).toSeq
    case a: ArrayType  => Seq(a.elementType)
    case m: MapType    => Seq(m.keyType, m.valueType)
    case _             => Nil
  }

  private def within(t: DataType, changes: Seq[Option[Change]]): Option[Change] =
    if (changes.forall(_.isEmpty)) None
    else
      t match {
        case s: StructType =>
          val convert = row(s.fields.map(_.dataType), changes.toArray)
          Some(value => convert(value.asInstanceOf[InternalRow]))
        case a: ArrayType => Some(value => array(value.asInstanceOf[ArrayData], a.elementType, changes.head))
        case m: MapType   =>
          Some { value =>
            val map = value.asInstanceOf[MapData]
            val keys = array(map.keyArray(), m.keyType, changes.head)
            new ArrayBasedMapData(keys, array(map.valueArray(), m.valueType, changes(1)))
          }
        case _ => None
      }

  private def array(from: ArrayData, element: DataType, change: Option[Change]): ArrayData =
    change.fold(from) { convert =>
      new GenericArrayData(Array.tabulate[Any](from.numElements()) { i =>
        if (from.isNullAt(i)) null else convert(from.get(i, element))
      })
    }
}
