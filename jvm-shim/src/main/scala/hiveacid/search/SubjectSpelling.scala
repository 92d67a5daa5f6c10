package hiveacid.search

import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types._

/** Subjects as the types of a key spell them, so that `007` is `7` in an INT column.
  *
  * Everything is computed here in the driver: no plan, job or SQL text ever holds a subject.
  */
final case class SubjectSpelling(session: SparkSession, table: CatalogTable, parts: Seq[String]) {
  private val spelling =
    ValueSpelling(session.sessionState.conf.sessionLocalTimeZone, session.sessionState.conf.ansiEnabled)
  private val types: Seq[DataType] = {
    val name = table.identifier.nameParts.map(part => s"`${part.replace("`", "``")}`").mkString(".")
    val found = session.table(name).selectExpr(parts: _*).schema.map(_.dataType).map {
      case ArrayType(element, _) if parts.length == 1 => element
      case other                                      => other
    }
    parts.zip(found).map { case (part, t) => rawType(part).getOrElse(t) }
  }

  /** The texts as `CAST(part AS STRING)` shows them; None for a subject that is no value of the types. */
  def spell(subject: Seq[String]): Option[Seq[String]] = {
    val spelled = subject.zip(types).map { case (text, t) => spelling.spell(text, t) }
    if (spelled.length == types.length && spelled.forall(_.isDefined)) Some(spelled.flatten) else None
  }

  /** The type of a column, or of a field within one, that CHAR or VARCHAR is kept of. */
  private def rawType(part: String): Option[DataType] =
    Try(session.sessionState.sqlParser.parseMultipartIdentifier(part)).toOption
      .flatMap { path =>
        path.tail.foldLeft(fieldType(CharVarcharUtils.getRawSchema(table.schema), path.head)) {
          case (Some(s: StructType), name) => fieldType(s, name)
          case _                           => None
        }
      }
      .collect { case t @ (_: CharType | _: VarcharType) => t }

  private def fieldType(fields: StructType, name: String): Option[DataType] =
    fields.find(_.name.equalsIgnoreCase(name)).map(_.dataType)
}
