package hiveacid.search

import java.util.Locale

import scala.jdk.CollectionConverters._

import hiveacid.formats.orc.FileSchema
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.{DecimalLogicalTypeAnnotation, IntLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A column of a file, by the names on the way to it, with values that no query shows.
  *
  * @param longerThan
  *   shown are texts of so many characters, 0 for none; numbers are their digits
  */
final case class FormerColumn(path: String, longerThan: Int = 0) {
  def hides(text: UTF8String): Boolean = longerThan == 0 || text.trimRight().numChars > longerThan
  def hides(number: Long): Boolean = longerThan == 0 || number.toString.length > longerThan
}

/** The columns of files, and fields within them, that a table has no more, by their names. No query shows their values.
  * A column is one of them where its type in the table cannot show what the file holds: a text where the table has
  * numbers by now, a text or a number that is too long for the table's.
  *
  * Some engines take a column of another name for the one of its position. It counts as well: engines differ in that.
  *
  * @param schema
  *   the columns of the table's files
  */
final case class FormerColumns(schema: StructType) {
  import FormerColumns._

  private val table = CharVarcharUtils.getRawSchema(schema)

  /** The leaves of former columns in the row of an ORC file: the paths by ORC's numbers. Columns without names are
    * those of their positions. Readers take the first of several whose names differ in case alone.
    */
  def ofOrc(file: TypeDescription): Map[Int, FormerColumn] = {
    val row = FileSchema.rowOf(file)
    val names = row.getFieldNames.asScala.toSeq
    val isUnnamed = names.nonEmpty && names.forall(_.matches("_col\\d+"))
    names
      .zip(row.getChildren.asScala)
      .zipWithIndex
      .flatMap { case ((name, field), i) =>
        val own = if (isUnnamed) table.lift(i) else if (isFirst(names, i)) find(table, name) else None
        leaves(name, field, own.map(_.dataType))
      }
      .toMap
  }

  private def leaves(
      path: String,
      file: TypeDescription,
      own: Option[DataType]
  ): Seq[(Int, FormerColumn)] = (file.getCategory, own) match {
    case (Category.STRUCT, Some(s: StructType)) =>
      val names = file.getFieldNames.asScala.toSeq
      names.zip(file.getChildren.asScala).zipWithIndex.flatMap { case ((name, field), i) =>
        leaves(s"$path.$name", field, if (isFirst(names, i)) find(s, name).map(_.dataType) else None)
      }
    case (Category.LIST, Some(a: ArrayType)) => leaves(path, file.getChildren.get(0), Some(a.elementType))
    case (Category.MAP, Some(m: MapType))    =>
      leaves(path, file.getChildren.get(0), Some(m.keyType)) ++
        leaves(path, file.getChildren.get(1), Some(m.valueType))
    case (c, Some(own)) if c.isPrimitive && !isNested(own) =>
      hiddenFrom(kindOf(file), own).map(length => file.getId -> FormerColumn(path, length)).toSeq
    case _ => // no row shows values of another shape than the table's
      Option(file.getChildren).fold(Seq(file.getId -> FormerColumn(path)))(
        _.asScala.toSeq.flatMap(leaves(path, _, None))
      )
  }

  /** The former columns of a Parquet file, by the paths of their values. */
  def ofParquet(file: MessageType): Map[Seq[String], FormerColumn] =
    file.getColumns.asScala.flatMap { column =>
      val path = column.getPath.toSeq
      val found =
        if (isHidden(file, path.head)) Some(0) else hiddenIn(path.toList, table, kindOf(file.getType(path: _*)))
      found.map(length => path -> FormerColumn(path.mkString("."), length))
    }.toMap

  /** True for a column whose name differs from an earlier one's in case alone. */
  private def isHidden(file: MessageType, name: String) = {
    val names = file.getFields.asScala.toSeq.map(_.getName)
    !isFirst(names, names.indexOf(name))
  }

  /** Elements of lists lie below one group or two, by the writer's age, or are repeated columns. */
  private def hiddenIn(path: List[String], own: DataType, kind: Kind): Option[Int] = (path, own) match {
    case (name :: rest, s: StructType) =>
      find(s, name).fold(Option(0))(field => hiddenIn(rest, field.dataType, kind))
    case (Nil, a: ArrayType)       => hiddenIn(Nil, a.elementType, kind)
    case (_ :: rest, a: ArrayType) =>
      val younger = hiddenIn(rest, a.elementType, kind)
      if (rest.isEmpty) younger else younger.flatMap(_ => hiddenIn(rest.tail, a.elementType, kind))
    case (_ :: "key" :: rest, m: MapType) => hiddenIn(rest, m.keyType, kind)
    case (_ :: _ :: rest, m: MapType)     => hiddenIn(rest, m.valueType, kind)
    case (rest, _)                        => if (rest.nonEmpty || isNested(own)) Some(0) else hiddenFrom(kind, own)
  }
}

object FormerColumns {

  /** The content of a column of a file, as far as it is searched in former columns. */
  sealed private trait Kind
  private case class Text(length: Int) extends Kind
  private case class Whole(digits: Int) extends Kind
  private case object Other extends Kind

  private def kindOf(file: TypeDescription): Kind = file.getCategory match {
    case Category.STRING | Category.BINARY => Text(Int.MaxValue)
    case Category.VARCHAR | Category.CHAR  => Text(file.getMaxLength)
    case Category.BYTE                     => Whole(3)
    case Category.SHORT                    => Whole(5)
    case Category.INT                      => Whole(10)
    case Category.LONG                     => Whole(19)
    case _                                 => Other
  }

  /** Bytes are texts, whatever their writer says of them: an ENUM, JSON, or nothing, as Impala. */
  private def kindOf(file: Type): Kind =
    if (!file.isPrimitive) Other
    else
      (file.asPrimitiveType.getPrimitiveTypeName, file.getLogicalTypeAnnotation) match {
        case (_, _: DecimalLogicalTypeAnnotation)                                   => Other
        case (PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, _) => Text(Int.MaxValue)
        case (PrimitiveTypeName.INT64, null)                                        => Whole(19)
        case (_, number: IntLogicalTypeAnnotation) => Whole(digitsOf(number.getBitWidth))
        case (PrimitiveTypeName.INT32, null)       => Whole(3) // older writers say no more of it
        case _                                     => Other
      }

  private def digitsOf(bits: Int): Int = bits match {
    case 8  => 3
    case 16 => 5
    case 32 => 10
    case _  => 19
  }

  /** Whole numbers of so many digits are values of the type, and stay as they are. */
  private def digitsOf(t: DataType): Int = t match {
    case ByteType                                            => 3
    case ShortType                                           => 5
    case IntegerType                                         => 10
    case LongType                                            => 19
    case FloatType                                           => 7
    case DoubleType                                          => 15
    case d: DecimalType                                      => d.precision - d.scale
    case BooleanType | DateType | TimestampType | BinaryType => 0
    case _                                                   => Int.MaxValue // intervals are stored as numbers
  }

  /** How many characters of a text the type has; None for a type of no texts. */
  private def lengthOf(t: DataType): Option[Int] = t match {
    case c: CharType                   => Some(c.length)
    case v: VarcharType                => Some(v.length)
    case _: StringType | _: BinaryType => Some(Int.MaxValue)
    case _                             => None
  }

  /** From how many characters on a column of the table shows no value of the file as it is: engines show NULL, a part
    * of it, or another value. None: it shows all.
    */
  private def hiddenFrom(file: Kind, own: DataType): Option[Int] = file match {
    case Text(length)  => lengthOf(own).fold(Option(0))(Some(_).filter(_ < length))
    case Whole(digits) =>
      lengthOf(own)
        .fold(Some(0).filter(_ => digitsOf(own) < digits))(Some(_).filter(_ <= digits)) // a minus may be more
    case Other => None
  }

  private def isNested(t: DataType) = t match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _                                         => false
  }

  private def isFirst(names: Seq[String], i: Int) = names.indexWhere(_.equalsIgnoreCase(names(i))) == i

  private def find(s: StructType, name: String) =
    s.fields.find(_.name.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))
}
