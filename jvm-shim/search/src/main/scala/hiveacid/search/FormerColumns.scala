package hiveacid.search

import java.util.Locale

import scala.jdk.CollectionConverters._

import hiveacid.formats.orc.FileSchema
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category
import org.apache.parquet.schema.MessageType

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** The columns of files, and fields within them, that a table has no more, by their names. No query shows their values.
  *
  * Some engines take a column of another name for the one of its position. It counts as well: engines differ in that.
  *
  * @param table
  *   the columns of the table's files
  */
final case class FormerColumns(table: StructType) {
  import FormerColumns._

  /** The leaves of former columns in the row of an ORC file: the paths by ORC's numbers. Columns without names are
    * those of their positions. Readers take the first of several whose names differ in case alone.
    */
  def ofOrc(file: TypeDescription): Map[Int, String] = {
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
  ): Seq[(Int, String)] = (file.getCategory, own) match {
    case (Category.STRUCT, Some(s: StructType)) =>
      val names = file.getFieldNames.asScala.toSeq
      names.zip(file.getChildren.asScala).zipWithIndex.flatMap { case ((name, field), i) =>
        leaves(s"$path.$name", field, if (isFirst(names, i)) find(s, name).map(_.dataType) else None)
      }
    case (Category.LIST, Some(a: ArrayType)) => leaves(path, file.getChildren.get(0), Some(a.elementType))
    case (Category.MAP, Some(m: MapType))    =>
      leaves(path, file.getChildren.get(0), Some(m.keyType)) ++
        leaves(path, file.getChildren.get(1), Some(m.valueType))
    case (c, Some(own)) if c.isPrimitive && !isNested(own) => Nil
    case _                                                 => // no row shows values of another shape than the table's
      Option(file.getChildren).fold(Seq(file.getId -> path))(_.asScala.toSeq.flatMap(leaves(path, _, None)))
  }

  /** The former columns of a Parquet file, by the paths of their values. */
  def ofParquet(file: MessageType): Map[Seq[String], String] =
    file.getColumns.asScala
      .map(_.getPath.toSeq)
      .filter(path => isHidden(file, path.head) || isFormer(path.toList, table))
      .map(path => path -> path.mkString("."))
      .toMap

  /** True for a column whose name differs from an earlier one's in case alone. */
  private def isHidden(file: MessageType, name: String) = {
    val names = file.getFields.asScala.toSeq.map(_.getName)
    !isFirst(names, names.indexOf(name))
  }

  /** Elements of lists lie below one group or two, by the writer's age, or are repeated columns. */
  private def isFormer(path: List[String], own: DataType): Boolean = (path, own) match {
    case (name :: rest, s: StructType) => find(s, name).forall(field => isFormer(rest, field.dataType))
    case (Nil, _: ArrayType)           => false
    case (_ :: rest, a: ArrayType)     =>
      isFormer(rest, a.elementType) && (rest.isEmpty || isFormer(rest.tail, a.elementType))
    case (_ :: "key" :: rest, m: MapType) => isFormer(rest, m.keyType)
    case (_ :: _ :: rest, m: MapType)     => isFormer(rest, m.valueType)
    case (rest, _)                        => rest.nonEmpty || isNested(own)
  }
}

object FormerColumns {
  private def isNested(t: DataType) = t match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _                                         => false
  }

  private def isFirst(names: Seq[String], i: Int) = names.indexWhere(_.equalsIgnoreCase(names(i))) == i

  private def find(s: StructType, name: String) =
    s.fields.find(_.name.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))
}
