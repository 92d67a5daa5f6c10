package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  InsertReplaceCriteria,
  InsertReplaceOn,
  InsertReplaceUsing,
  InsertReplaceWhere => ReplaceWhereCriteria,
  LogicalPlan,
  UnresolvedInsert
}
import org.apache.spark.sql.execution.command.SaveAsV1TableCommand

/** `saveAsTable`: a table as the DataFrame's writer describes it, and the rows. */
final case class SaveAsTable(table: CatalogTable, mode: SaveMode, query: LogicalPlan)

/** The differences between Spark lines. Members of Spark that are `private[sql]` in all of them are in [[SparkAccess]].
  */
object SparkLine {

  /** private[sql]; `saveAsTable` is this command since 4.1, and it drops the table before a later rule could see it. */
  def saveAsTable(plan: LogicalPlan): Option[SaveAsTable] = plan match {
    case s: SaveAsV1TableCommand => Some(SaveAsTable(s.tableDesc, s.mode, s.query))
    case _                       => None
  }

  /** `INSERT … REPLACE WHERE`, which is an OverwriteByExpression before 4.2: the INSERT alone, and the condition. */
  object InsertReplaceWhere {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Expression)] = plan match {
      case i: InsertIntoStatement =>
        i.replaceCriteriaOpt.collect { case ReplaceWhereCriteria(condition) =>
          (i.copy(overwrite = false, replaceCriteriaOpt = None), condition)
        }
      case _ => None
    }
  }

  /** `INSERT … REPLACE USING` and `REPLACE ON`, which came with 4.3: the node, its target, and what it is called. */
  object InsertReplaceByKeys {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, String)] = plan match {
      case i: InsertIntoStatement => title(i.replaceCriteriaOpt).map((i, i.table, _))
      case u: UnresolvedInsert    => title(u.replaceCriteriaOpt).map((u, u.table, _))
      case _                      => None
    }

    private def title(criteria: Option[InsertReplaceCriteria]): Option[String] = criteria.collect {
      case _: InsertReplaceUsing => "INSERT … REPLACE USING"
      case _: InsertReplaceOn    => "INSERT … REPLACE ON"
    }
  }
}
