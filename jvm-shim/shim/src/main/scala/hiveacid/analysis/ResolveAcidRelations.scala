package hiveacid.analysis

import hiveacid.scan.{AcidRelation, MetastoreColumns}
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** Our relation in place of Spark's, wherever a transactional table is read or is the target of an INSERT. */
case class ResolveAcidRelations(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case i: InsertIntoStatement => i.copy(table = ColumnDefaults.of(session, replace(i.table, isWritten = true)))
    case u: UpdateTable if ColumnDefaults.areNamed(u) => u.copy(table = ColumnDefaults.of(session, u.table))
    case m: MergeIntoTable if m.notMatchedActions.nonEmpty || ColumnDefaults.areNamed(m) =>
      m.copy(targetTable = ColumnDefaults.of(session, m.targetTable))
    case p => replace(p, isWritten = false)
  }

  private def replace(plan: LogicalPlan, isWritten: Boolean): LogicalPlan = plan match {
    case AcidRelation(table) =>
      val stored = MetastoreColumns.of(session, table)
      AcidRelation.relation(session, stored, references(plan), isWritten, AcidRelation.resolvedOptions(session))
    case s @ SubqueryAlias(_, child: HiveTableRelation) => s.copy(child = replace(child, isWritten))
    case other                                          => other
  }

  private def references(plan: LogicalPlan) = plan.output.collect { case a: AttributeReference => a }
}
