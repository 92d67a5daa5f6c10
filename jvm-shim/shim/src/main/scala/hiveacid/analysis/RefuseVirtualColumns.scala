package hiveacid.analysis

import java.util.Locale

import hiveacid.errors.Refusal
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Columns that Hive, Iceberg and Spark's own file sources have beside those of the table, such as the file of a row. A
  * transactional table has them not; the error tells what there is, where Spark would suggest columns of like names.
  */
object RefuseVirtualColumns extends Rule[LogicalPlan] {
  private val names = Set("input__file__name", "block__offset__inside__file", "_metadata", "_file", "_pos")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    // in a subquery the name may be one of the query around it
    case node if node.childrenResolved && !node.resolved && AnalysisContext.get.outerPlan.isEmpty =>
      for {
        column <- named(node)
        table <- node.children.flatMap(AcidRelation.named).flatMap(_.catalogTable).headOption
      } {
        val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.VIRTUAL_COLUMN", Map("column" -> column))
        AcidTable.refuse("Reading", table, refusal)
      }
      node
  }

  /** A name among those, of a column of a child, that is no column of it, not a hidden one either, and no alias. */
  private def named(node: LogicalPlan): Option[String] = {
    lazy val known = node.children.flatMap(c => c.output ++ c.metadataOutput)
    def isTable(parts: Seq[String]) =
      known.exists(_.qualifier.map(lower).endsWith(parts)) && !known.exists(a => lower(a.name) == parts.head)
    lazy val aliases = node.expressions.flatMap(_.collect { case a: Alias => lower(a.name) })
    node.expressions
      .flatMap(_.collect { case a: UnresolvedAttribute => a.nameParts })
      .flatMap { parts =>
        val (before, rest) = parts.map(lower).span(!names(_))
        rest.headOption.filter(_ => before.isEmpty || isTable(before)).map(_ => parts(before.length))
      }
      .find(name => !known.exists(a => lower(a.name) == lower(name)) && !aliases.contains(lower(name)))
  }

  private def lower(name: String) = name.toLowerCase(Locale.ROOT)
}
