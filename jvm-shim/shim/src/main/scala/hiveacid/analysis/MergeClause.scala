package hiveacid.analysis

import hiveacid.errors.AcidException

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.SparkLineNodes

/** A WHEN clause of a MERGE.
  *
  * @param side
  *   `MATCHED`, `NOT MATCHED` or `NOT MATCHED BY SOURCE`
  */
final case class MergeClause(side: String, condition: Option[Expression], action: MergeClause.Action)

object MergeClause {
  sealed trait Action
  case class Update(values: Seq[(String, Expression)]) extends Action
  case class Insert(values: Seq[(String, Expression)]) extends Action
  case object Delete extends Action

  /** The clauses of a resolved MERGE, in the order in which their conditions are tried. */
  def of(target: LogicalRelation, m: MergeIntoTable): Seq[MergeClause] = {
    def clauses(side: String, actions: Seq[MergeAction]) = actions.map {
      case SparkLineNodes.MergeUpdate(condition, assignments, fromStar) =>
        MergeClause(side, condition, Update(Assignments.ofUpdate(target, assignments, fromStar)))
      case DeleteAction(condition)              => MergeClause(side, condition, Delete)
      case InsertAction(condition, assignments) =>
        MergeClause(side, condition, Insert(Assignments.ofInsert(target, assignments)))
      case other => throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"a MERGE has the clause $other"))
    }
    clauses("MATCHED", m.matchedActions) ++ clauses("NOT MATCHED", m.notMatchedActions) ++
      clauses("NOT MATCHED BY SOURCE", m.notMatchedBySourceActions)
  }
}
