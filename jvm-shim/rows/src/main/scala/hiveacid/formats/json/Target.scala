package hiveacid.formats.json

import java.util.Locale

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

/** The type that a value of JSON is to become: a type with CHAR and VARCHAR, of a record with the parts that are asked
  * for.
  */
sealed trait Target

object Target {

  /** A value without parts. */
  final case class Leaf(hive: DataType) extends Target

  final case class Items(element: Target) extends Target

  final case class Entries(key: Leaf, value: Target) extends Target

  /** @param names
    *   of all fields, in order, as the table spells them
    * @param fields
    *   of the same length; None for one that is not asked for
    * @param slots
    *   where each field comes to lie among those that are asked for
    */
  final case class Record(names: Array[String], fields: Array[Option[Target]], slots: Array[Int]) extends Target {
    val width: Int = fields.count(_.isDefined)

    private val indices = names.map(_.toLowerCase(Locale.ROOT)).zipWithIndex.reverse.toMap
    private val exact = names.zipWithIndex.reverse.toMap

    /** The field of this name in lower case, whatever the table's spelling; -1 if there is none. */
    def find(lower: String): Int = indices.getOrElse(lower, -1)

    /** The field of exactly this spelling; -1 if there is none. */
    def findExactly(name: String): Int = exact.getOrElse(name, -1)
  }

  /** The table's row, of which only the columns of `required` become values, in their order. */
  def row(tableSchema: StructType, required: StructType): Record = {
    val fields = tableSchema.fields.map { f =>
      if (required.fieldNames.contains(f.name)) Some(of(hiveType(f))) else None
    }
    Record(tableSchema.fieldNames, fields, tableSchema.fieldNames.map(required.fieldNames.indexOf(_)))
  }

  /** The first part of the type that no reader of JSON knows. */
  def unknown(t: DataType): Option[DataType] = t match {
    case s: StructType => s.fields.flatMap(f => unknown(f.dataType)).headOption
    case a: ArrayType  => unknown(a.elementType)
    case MapType(_: StructType | _: ArrayType | _: MapType, _, _) => Some(t)
    case m: MapType                                               => unknown(m.keyType).orElse(unknown(m.valueType))
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType            => None
    case DoubleType | BinaryType | DateType | TimestampType | TimestampNTZType | StringType => None
    case _: DecimalType | _: CharType | _: VarcharType                                      => None
    case _                                                                                  => Some(t)
  }

  def hiveType(field: StructField): DataType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  private def of(hive: DataType): Target = hive match {
    case s: StructType =>
      Record(s.fieldNames, s.fields.map(f => Some(of(hiveType(f)))), s.fields.indices.toArray)
    case a: ArrayType => Items(of(a.elementType))
    case m: MapType   => Entries(Leaf(m.keyType), of(m.valueType))
    case leaf         => Leaf(leaf)
  }
}
