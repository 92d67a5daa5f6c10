package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  CreateTableLike,
  InsertIntoStatement,
  InsertReplaceCriteria,
  InsertReplaceOn,
  InsertReplaceUsing,
  InsertReplaceWhere => ReplaceWhereCriteria,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  UnresolvedInsert
}

/** Spark's nodes of statements as they are since 4.2. A write with schema evolution, which 4.2 brought, is none of
  * them.
  */
object LineStatements {

  /** `writeTo(t).append()`: the table and the rows. */
  object AppendByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan)] = plan match {
      case AppendData(table, query, _, true, false, _, _) => Some((table, query))
      case _                                              => None
    }
  }

  /** `writeTo(t).overwritePartitions()`: the table and the rows. */
  object OverwritePartitionsByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan)] = plan match {
      case OverwritePartitionsDynamic(table, query, _, true, false, _) => Some((table, query))
      case _                                                           => None
    }
  }

  /** `writeTo(t).overwrite(condition)`: the table, the condition and the rows. */
  object OverwriteByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Expression, LogicalPlan)] = plan match {
      case OverwriteByExpression(table, condition, query, _, true, false, _, _) => Some((table, condition, query))
      case _                                                                    => None
    }
  }

  /** `INSERT … REPLACE WHERE`, which 4.2 still parses as an overwrite by position, as before: the INSERT alone, and the
    * condition.
    */
  object InsertReplaceWhere {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Expression)] = plan match {
      case i: InsertIntoStatement =>
        i.replaceCriteriaOpt.collect { case ReplaceWhereCriteria(condition) =>
          (i.copy(overwrite = false, replaceCriteriaOpt = None), condition)
        }
      case OverwriteByExpression(table, condition, query, _, false, false, _, _) =>
        val insert = InsertIntoStatement(table, Map.empty, Nil, query, overwrite = false, ifPartitionNotExists = false)
        Some((insert, condition))
      case _ => None
    }
  }

  /** `INSERT … REPLACE USING` and `REPLACE ON`: the node, its target, and what it is called. */
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

  /** CREATE TABLE … LIKE as it is parsed: its name, its properties, and the same node with others. */
  object CreationLike {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Map[String, String], Map[String, String] => LogicalPlan)] =
      plan match {
        case c: CreateTableLike => Some((c.name, c.properties, others => c.copy(properties = others)))
        case _                  => None
      }
  }
}
