package hiveacid.analysis

import hiveacid.scan.AcidRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** Variables, of the session or of a SQL script, in the values and the condition of an UPDATE. Spark itself looks for
  * them in subqueries, and in the condition since 4.3 only. As everywhere, a column comes before a variable of its
  * name.
  */
case class ResolveUpdateVariables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case u @ UpdateTable(AcidRelation.Target(_), assignments, condition)
        if !assignments.forall(_.value.resolved) || !condition.forall(_.resolved) =>
      u.copy(
        assignments = assignments.map(a => a.copy(value = withVariables(u.table, a.value))),
        condition = condition.map(withVariables(u.table, _))
      )
  }

  private def withVariables(table: LogicalPlan, value: Expression): Expression = value.transform {
    case name: UnresolvedAttribute if !isColumn(table, name) => variable(name).getOrElse(name)
  }

  private def isColumn(table: LogicalPlan, name: UnresolvedAttribute) = {
    val isDefault = name.nameParts.length == 1 && name.name.equalsIgnoreCase("default")
    isDefault || table.resolve(name.nameParts, session.sessionState.conf.resolver).isDefined
  }

  private def variable(name: UnresolvedAttribute): Option[Expression] = {
    val query = session.sessionState.analyzer.execute(Project(Seq(Alias(name, "v")()), OneRowRelation()))
    query.expressions.collectFirst { case Alias(value, _) if value.resolved => value }
  }
}
