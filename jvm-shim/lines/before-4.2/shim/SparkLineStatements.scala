package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic
}
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Spark's nodes of statements as they were before 4.2. */
object SparkLineStatements {

  /** `writeTo(t).append()`: the table, the rows and the writer's options. */
  object AppendByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, Map[String, String])] = plan match {
      case AppendData(table, query, options, true, _, _) => Some((table, query, options))
      case _                                             => None
    }
  }

  /** `writeTo(t).overwritePartitions()`: the table, the rows and the writer's options. */
  object OverwritePartitionsByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, Map[String, String])] = plan match {
      case OverwritePartitionsDynamic(table, query, options, true, _) => Some((table, query, options))
      case _                                                          => None
    }
  }

  /** `writeTo(t).overwrite(condition)`: the table, the condition, the rows and the writer's options. */
  object OverwriteByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Expression, LogicalPlan, Map[String, String])] = plan match {
      case OverwriteByExpression(table, condition, query, options, true, _, _) =>
        Some((table, condition, query, options))
      case _ => None
    }
  }

  /** `insertInto(t)` of a table that Spark does not take for one of the session catalog: the INSERT by position,
    * whether it replaces only partitions that get rows, where that is said, and the writer's options.
    */
  object InsertedInto {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Option[Boolean], Map[String, String])] = plan match {
      case AppendData(table: DataSourceV2Relation, query, options, false, _, _) =>
        Some((insert(table, query), None, options))
      case OverwriteByExpression(table: DataSourceV2Relation, TrueLiteral, query, options, false, _, _) =>
        Some((insert(table, query).copy(overwrite = true), None, options))
      case OverwritePartitionsDynamic(table: DataSourceV2Relation, query, options, false, _) =>
        Some((insert(table, query).copy(overwrite = true), Some(true), options))
      case _ => None
    }
  }

  private def insert(table: LogicalPlan, query: LogicalPlan) =
    InsertIntoStatement(table, Map.empty, Nil, query, overwrite = false, ifPartitionNotExists = false)

  /** `INSERT … REPLACE WHERE`, which the parser makes an overwrite by position: the INSERT alone, and the condition. */
  object InsertReplaceWhere {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Expression)] = plan match {
      case OverwriteByExpression(table, condition, query, _, false, _, _) =>
        Some((insert(table, query), condition))
      case _ => None
    }
  }

  /** `INSERT … REPLACE USING` and `REPLACE ON` are none of this line's statements. */
  object InsertReplaceMatches {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Either[Seq[String], Expression], Option[String])] =
      None
  }

  /** `INSERT WITH SCHEMA EVOLUTION` is none of them either. */
  object EvolvingInsert {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Boolean)] = None
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
