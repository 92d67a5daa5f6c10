package hiveacid

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.classic.SparkSession

/** A canonical statement: SQL text in which every expression of the user is a placeholder (`__e1`, `__e2`, …) and so
  * are the relations (`__target`, `__source`). Python rewrites the text to the row-change query; the placeholders of
  * its parsed plan are then replaced by the user's own trees, which are never printed and never cut out of text.
  */
final case class Canonical(text: String, expressions: Map[String, Expression], relations: Map[String, LogicalPlan]) {

  /** The row-change plan; names that the rewriting introduced are still to be resolved by the analyzer. */
  def rowChanges(session: SparkSession, table: CatalogTable): LogicalPlan = {
    val request = new ObjectMapper().createObjectNode().put("statement", text)
    val columns = request.putArray("partitionColumns")
    table.partitionColumnNames.foreach(c => columns.add(c))
    val query = Bridge.text(Bridge.plannerFor(AcidTables.name(table)).rewrite(request.toString))
    val parsed = session.sessionState.sqlParser.parsePlan(query)
    parsed
      .transformUp {
        case UnresolvedRelation(Seq(name), _, _) if relations.contains(name) =>
          SubqueryAlias(name, relations(name))
      }
      .transformAllExpressions {
        case UnresolvedAttribute(Seq(name)) if expressions.contains(name) => expressions(name)
      }
  }
}

object Canonical {
  val Target = "__target"
  val Source = "__source"

  def delete(target: LogicalPlan, condition: Expression): Canonical =
    Canonical(s"DELETE FROM $Target WHERE __e1", Map("__e1" -> condition), Map(Target -> target))

  /** `values` has an expression for each of the target's columns, in order. */
  def update(target: LogicalPlan, values: Seq[(String, Expression)], condition: Option[Expression]): Canonical = {
    val set = values.zipWithIndex.map { case ((column, _), i) => s"${quoted(column)} = __e$i" }.mkString(", ")
    val assigned = values.zipWithIndex.map { case ((_, value), i) => s"__e$i" -> value }
    val where = condition.map(c => s"__e${values.length}" -> c)
    val text = s"UPDATE $Target SET $set" + where.fold("") { case (placeholder, _) => s" WHERE $placeholder" }
    Canonical(text, (assigned ++ where).toMap, Map(Target -> target))
  }

  private def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  def insert(source: LogicalPlan): Canonical =
    Canonical(s"INSERT INTO $Target SELECT * FROM $Source", Map.empty, Map(Source -> source))
}
