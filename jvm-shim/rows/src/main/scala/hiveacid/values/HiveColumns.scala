package hiveacid.values

import hiveacid.errors.{AcidException, Refusal}

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/** Columns as a metastore has them, with types in Hive's spelling. */
object HiveColumns {

  /** A column, its type, and a comment. */
  type Column = (String, String, Option[String])

  /** Their types as Spark has them, CHAR and VARCHAR among them. Refuses a type that Spark does not know. */
  def schema(table: String, columns: Seq[Column]): StructType = StructType(columns.map { case (name, text, comment) =>
    val field = StructField(name, dataType(table, name, text))
    comment.fold(field)(field.withComment)
  })

  private def dataType(table: String, column: String, text: String): DataType =
    try CatalystSqlParser.parseDataType(text)
    catch {
      case _: ParseException =>
        val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE", Map("column" -> column, "type" -> text))
        throw AcidException.unsupported("Access", table, refusal)
    }
}
