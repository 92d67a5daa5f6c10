package hiveacid.analysis

import hiveacid.errors.Refusal
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode

/** The options of a write, and which rows it replaces by them. An option that is not honoured is refused.
  *
  * @param operation
  *   for messages
  */
final class WriteOptions(session: SparkSession, table: CatalogTable, operation: String, options: Map[String, String]) {
  import WriteOptions._

  private val values = CaseInsensitiveMap(options)

  options.keys.find(TableOption.of(_).writes == "refused").foreach(refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION", _))

  private val condition: Option[String] = values.get(Condition)

  /** Whether only partitions that get rows are replaced; as Spark's file sources take the option
    * (InsertIntoHadoopFsRelationCommand).
    */
  private val isDynamic: Option[Boolean] = values.get(Mode).map { value =>
    if (value.equalsIgnoreCase(PartitionOverwriteMode.DYNAMIC.toString)) true
    else if (value.equalsIgnoreCase(PartitionOverwriteMode.STATIC.toString)) false
    else refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION_VALUE", Mode, Map("value" -> value))
  }

  /** The INSERT, which replaces what the options say, if it replaces anything.
    *
    * @param otherwise
    *   whether an overwrite replaces only partitions that get rows where the options do not say it
    */
  def honoured(insert: InsertIntoStatement, otherwise: Option[Boolean]): LogicalPlan = {
    val hasOwn = insert.partitionSpec.nonEmpty || insert.ifPartitionNotExists
    condition match {
      case Some(_) if !insert.overwrite => refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION_OF_OVERWRITES", Condition)
      case Some(_) if hasOwn || isDynamic.exists(identity) =>
        refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION_CONTRADICTS", Condition)
      case Some(text) =>
        session.sessionState.sqlParser.parseExpression(text) match {
          case TrueLiteral => ChosenOverwrite(insert, isDynamic = false)
          case parsed      => ReplaceWhere(table, parsed, insert.copy(overwrite = false), Some(text))
        }
      case None if insert.overwrite => isDynamic.orElse(otherwise).fold[LogicalPlan](insert)(ChosenOverwrite(insert, _))
      case None                     => insert
    }
  }

  /** Refuses options that contradict an overwrite which says by itself what it replaces. */
  def refuseOthers(isDynamic: Boolean): Unit = {
    if (condition.isDefined) refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION_CONTRADICTS", Condition)
    if (this.isDynamic.exists(_ != isDynamic)) refuse("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION_CONTRADICTS", Mode)
  }

  private def refuse(condition: String, option: String, more: Map[String, String] = Map.empty): Nothing =
    AcidTable.refuse(operation, table, Refusal(condition, more + ("option" -> option)))
}

private object WriteOptions {
  private val Condition = "replaceWhere"
  private val Mode = "partitionOverwriteMode"
}
