package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic
}
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** Spark's nodes of statements as they were before 4.2. */
object LineStatements {

  /** `writeTo(t).append()`: the table and the rows. */
  object AppendByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan)] = plan match {
      case AppendData(table, query, _, true, _, _) => Some((table, query))
      case _                                       => None
    }
  }

  /** `writeTo(t).overwritePartitions()`: the table and the rows. */
  object OverwritePartitionsByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan)] = plan match {
      case OverwritePartitionsDynamic(table, query, _, true, _) => Some((table, query))
      case _                                                    => None
    }
  }

  /** `writeTo(t).overwrite(condition)`: the table, the condition and the rows. */
  object OverwriteByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Expression, LogicalPlan)] = plan match {
      case OverwriteByExpression(table, condition, query, _, true, _, _) => Some((table, condition, query))
      case _                                                             => None
    }
  }

  /** `INSERT … REPLACE WHERE`, which the parser makes an overwrite by position: the INSERT alone, and the condition. */
  object InsertReplaceWhere {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Expression)] = plan match {
      case OverwriteByExpression(table, condition, query, _, false, _, _) =>
        val insert =
          InsertIntoStatement(table, Map.empty, Nil, query, overwrite = false, ifPartitionNotExists = false)
        Some((insert, condition))
      case _ => None
    }
  }

  /** `INSERT … REPLACE USING` and `REPLACE ON` are none of this line's statements. */
  object InsertReplaceByKeys {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, String)] = None
  }

  /** CREATE TABLE … LIKE, which the parser makes a command: its name, its properties, and the same node with others.
    */
  object CreationLike {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Map[String, String], Map[String, String] => LogicalPlan)] =
      plan match {
        case c: CreateTableLikeCommand =>
          Some((UnresolvedIdentifier(c.targetTable.nameParts), c.properties, others => c.copy(properties = others)))
        case _ => None
      }
  }
}
