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
    * those of their positions.
    */
  def ofOrc(file: TypeDescription): Map[Int, String] = {
    val row = FileSchema.rowOf(file)
    val names = row.getFieldNames.asScala.toSeq
    val isUnnamed = names.nonEmpty && names.forall(_.matches("_col\\d+"))
    names
      .zip(row.getChildren.asScala)
      .zipWithIndex
      .flatMap { case ((name, field), i) =>
        val own = if (isUnnamed) table.lift(i) else find(table, name)
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
      fieldsOf(file).flatMap { case (name, field) =>
        leaves(s"$path.$name", field, find(s, name).map(_.dataType))
      }
    case (Category.LIST, Some(a: ArrayType)) => leaves(path, file.getChildren.get(0), Some(a.elementType))
    case (Category.MAP, Some(m: MapType))    =>
      leaves(path, file.getChildren.get(0), Some(m.keyType)) ++
        leaves(path, file.getChildren.get(1), Some(m.valueType))
    case (_, Some(_)) => Nil
    case _ => Option(file.getChildren).fold(Seq(file.getId -> path))(_.asScala.toSeq.flatMap(leaves(path, _, None)))
  }

  private def fieldsOf(file: TypeDescription) = file.getFieldNames.asScala.toSeq.zip(file.getChildren.asScala)

  /** The former columns of a Parquet file, by the paths of their values. */
  def ofParquet(file: MessageType): Map[Seq[String], String] =
    file.getColumns.asScala
      .map(_.getPath.toSeq)
      .filter(path => isFormer(path.toList, table))
      .map(path => path -> path.mkString("."))
      .toMap

  private def isFormer(path: List[String], own: DataType): Boolean = (path, own) match {
    case (name :: rest, s: StructType)    => find(s, name).forall(field => isFormer(rest, field.dataType))
    case (_ :: _ :: rest, a: ArrayType)   => isFormer(rest, a.elementType)
    case (_ :: "key" :: rest, m: MapType) => isFormer(rest, m.keyType)
    case (_ :: _ :: rest, m: MapType)     => isFormer(rest, m.valueType)
    case _                                => false
  }
}

object FormerColumns {
  private def find(s: StructType, name: String) =
    s.fields.find(_.name.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))
}
