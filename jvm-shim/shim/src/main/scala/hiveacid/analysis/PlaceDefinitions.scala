package hiveacid.analysis

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._

/** `WITH RECURSIVE` before a DELETE, UPDATE or MERGE. Spark puts the queries of a WITH in place of their names in such
  * a statement, but for recursive ones, whose definitions it leaves beside the statement. The parts of it that read
  * rows are planned without it, so each gets the definitions that it names, as if the WITH stood there.
  */
object PlaceDefinitions {

  /** The statement without definitions beside it. */
  def apply(statement: LogicalPlan, definitions: Seq[CTERelationDef]): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      statement
        .mapChildren(placed(_, definitions))
        .transformExpressions { case s: SubqueryExpression => s.withNewPlan(placed(s.plan, definitions)) }
    }

  private def placed(query: LogicalPlan, definitions: Seq[CTERelationDef]): LogicalPlan = {
    val ids = definitions.map(_.id).toSet
    val names = query.collectWithSubqueries { case r: CTERelationRef if ids(r.cteId) => r }
    if (names.isEmpty) query else renumbered(WithCTE(query, definitions))
  }

  /** Spark knows definitions by their numbers, so that two places may not have one number. */
  private def renumbered(query: WithCTE): LogicalPlan = {
    val old = query.collectWithSubqueries { case d: CTERelationDef => d.id }
    val ids = old.distinct.map(_ -> CTERelationDef.newId).toMap
    query.transformUpWithSubqueries {
      case d: CTERelationDef                          => d.copy(id = ids(d.id))
      case r: CTERelationRef if ids.contains(r.cteId) => r.copy(cteId = ids(r.cteId))
    }
  }
}
