package hiveacid.formats.orc

import scala.jdk.CollectionConverters._

import hiveacid.errors.{Refusal, UnsupportedTypeException}
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category
import org.apache.orc.TypeDescription.Category._

import org.apache.spark.sql.types._

/** Finds the ORC type to ask for, given Spark's type and the file's, and remembers whether ORC has to convert.
  *
  * @param asHive3
  *   see [[Evolution]]
  */
final class TypeMapping(asHive3: Boolean) {
  import TypeMapping._

  /** True once a type was met that differs from the file's. */
  var converts = false

  /** @param wanted
    *   Spark's type, maybe with fewer nested fields than the table's
    * @param raw
    *   the same type with CHAR and VARCHAR in place of STRING
    * @param file
    *   the type in the file
    */
  def readerType(wanted: DataType, raw: DataType, file: TypeDescription): TypeDescription = {
    val result = (wanted, raw) match {
      case (s: StructType, r) =>
        expect(file, STRUCT)
        val struct = TypeDescription.createStruct()
        s.fields.foreach { f =>
          val rawField = r match {
            case t: StructType => t.fields.find(_.name.equalsIgnoreCase(f.name)).map(_.dataType)
            case _             => None
          }
          val i = file.getFieldNames.asScala.indexWhere(_.equalsIgnoreCase(f.name))
          val t =
            if (i < 0) plain(f.dataType)
            else readerType(f.dataType, rawField.getOrElse(f.dataType), file.getChildren.get(i))
          struct.addField(f.name, t)
        }
        struct
      case (a: ArrayType, r) =>
        expect(file, LIST)
        val element = r match { case t: ArrayType => t.elementType; case _ => a.elementType }
        TypeDescription.createList(readerType(a.elementType, element, file.getChildren.get(0)))
      case (m: MapType, r) =>
        expect(file, MAP)
        val (key, value) = r match {
          case t: MapType => (t.keyType, t.valueType)
          case _          => (m.keyType, m.valueType)
        }
        TypeDescription.createMap(
          readerType(m.keyType, key, file.getChildren.get(0)),
          readerType(m.valueType, value, file.getChildren.get(1))
        )
      // ORC trims CHAR, whatever it is read as; Spark's analyser pads such columns again
      case (_, c: CharType)    => TypeDescription.createChar().withMaxLength(c.length)
      case (_, v: VarcharType) => TypeDescription.createVarchar().withMaxLength(v.length)
      case (t, _)              => plain(t)
    }
    if (result.getCategory.isPrimitive) check(file, result)
    result
  }

  private def check(file: TypeDescription, reader: TypeDescription): Unit = {
    val same = file.getCategory == reader.getCategory &&
      (file.getCategory != DECIMAL || file.getPrecision == reader.getPrecision && file.getScale == reader.getScale)
    if (!same) {
      if (!convertible(file.getCategory, reader.getCategory, asHive3)) throw unsupported(file, reader.toString)
      converts = true
    }
  }

  private def expect(file: TypeDescription, category: Category): Unit =
    if (file.getCategory != category) throw unsupported(file, category.getName)
}

object TypeMapping {
  private val numeric = Set(BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, DECIMAL)
  private val text = Set(STRING, CHAR, VARCHAR)
  private val unread = Set(TIMESTAMP_INSTANT, UNION)

  /** The changes of a column's type that are read. ORC converts as Hive 4.1.0 does, and [[Hive3Conversions]] what 3.1.3
    * does otherwise.
    *
    * As in Hive 3.1, not those between timestamps and text, which 3.1.3 takes for instants in the time zone of its JVM,
    * so that two servers show two clocks; nor those that its metastore refuses unless it is told not to look, of which
    * ORC makes others there.
    */
  private def convertible(file: Category, reader: Category, asHive3: Boolean): Boolean =
    (numeric(file) || text(file)) && (numeric(reader) || text(reader)) ||
      file == DATE && (text(reader) || reader == TIMESTAMP) ||
      !asHive3 && convertsInHive4(file, reader)

  private def convertsInHive4(file: Category, reader: Category): Boolean = (file, reader) match {
    case (TIMESTAMP, r) => numeric(r) || text(r) || r == DATE
    case (f, TIMESTAMP) => numeric(f) || text(f)
    case (f, DATE)      => text(f)
    case (BINARY, r)    => text(r)
    case (f, BINARY)    => text(f)
    case _              => false
  }

  /** Types that are read as no other are no change of type. */
  private def unsupported(file: TypeDescription, wanted: String) = new UnsupportedTypeException(
    if (unread(file.getCategory)) Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_TYPE", Map("type" -> file.toString))
    else Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.TYPE_CHANGE", Map("fileType" -> file.toString, "type" -> wanted))
  )

  /** The ORC type of a Spark type, with no regard to a file. */
  def plain(t: DataType): TypeDescription = t match {
    case BooleanType                      => TypeDescription.createBoolean()
    case ByteType                         => TypeDescription.createByte()
    case ShortType                        => TypeDescription.createShort()
    case IntegerType                      => TypeDescription.createInt()
    case LongType                         => TypeDescription.createLong()
    case FloatType                        => TypeDescription.createFloat()
    case DoubleType                       => TypeDescription.createDouble()
    case _: CharType | _: VarcharType     => TypeDescription.createString()
    case _: StringType                    => TypeDescription.createString()
    case BinaryType                       => TypeDescription.createBinary()
    case DateType                         => TypeDescription.createDate()
    case TimestampType | TimestampNTZType => TypeDescription.createTimestamp()
    case d: DecimalType => TypeDescription.createDecimal().withScale(d.scale).withPrecision(d.precision)
    case a: ArrayType   => TypeDescription.createList(plain(a.elementType))
    case m: MapType     => TypeDescription.createMap(plain(m.keyType), plain(m.valueType))
    case s: StructType  =>
      s.fields.foldLeft(TypeDescription.createStruct())((struct, f) => struct.addField(f.name, plain(f.dataType)))
    case other =>
      throw new UnsupportedTypeException(Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_TYPE", Map("type" -> other.sql)))
  }

  /** True for the types a transactional table can have. */
  def isSupported(t: DataType): Boolean = t match {
    case a: ArrayType  => isSupported(a.elementType)
    case m: MapType    => isSupported(m.keyType) && isSupported(m.valueType)
    case s: StructType => s.fields.forall(f => isSupported(f.dataType))
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _: StringType | BinaryType | DateType | TimestampType | TimestampNTZType             => true
    case _: DecimalType | _: CharType | _: VarcharType                                        => true
    case _                                                                                    => false
  }
}
