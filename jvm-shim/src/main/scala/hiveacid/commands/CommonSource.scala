package hiveacid.commands

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions.{Expression, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Generate,
  GlobalLimit,
  LocalLimit,
  LogicalPlan,
  Offset,
  SubqueryAlias
}

/** The source of an INSERT into several tables, which Hive reads once, and Spark once for each of them. All read it in
  * one snapshot, so that it has the same rows for all unless these are others at each evaluation, as drawn ones are.
  */
object CommonSource {
  def refuseChanging(inserts: Seq[AcidWriteCommand]): Unit =
    for (insert <- inserts; source <- changing(insert.changes)) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CHANGING_SOURCE", Map("source" -> source))
      throw AcidException.unsupported("INSERT into several tables", AcidTable.name(insert.target), refusal)
    }

  /** The name of a part of the FROM clause; values of a SELECT list stand above all names and may change. */
  private def changing(plan: LogicalPlan): Option[String] = plan.collectFirst {
    case SubqueryAlias(id, child) if id.name != RowChangeQuery.Source && isChanging(child) => id.name
    case g: Generate if !g.generator.deterministic => g.qualifier.getOrElse(g.generator.prettyName)
  }

  private def isChanging(part: LogicalPlan): Boolean = part.collectWithSubqueries {
    case p @ (_: GlobalLimit | _: LocalLimit | _: Offset) => p
    case p if p.expressions.exists(isChanging)            => p
  }.nonEmpty

  /** A query within is looked at by itself. */
  private def isChanging(value: Expression): Boolean = value.exists {
    case _: PlanExpression[_] => false
    case e                    => e.children.forall(_.deterministic) && !e.deterministic
  }
}
