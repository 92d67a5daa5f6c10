package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  CreateTableLike,
  InsertIntoStatement,
  InsertReplaceOn,
  InsertReplaceUsing,
  InsertReplaceWhere => ReplaceWhereCriteria,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  UnresolvedInsert
}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Spark's nodes of statements as they are since 4.2. Other writes with schema evolution, which 4.2 brought, are none
  * of them.
  */
object SparkLineStatements {

  /** `writeTo(t).append()`: the table, the rows and the writer's options. */
  object AppendByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, Map[String, String])] = plan match {
      case AppendData(table, query, options, true, false, _, _) => Some((table, query, options))
      case _                                                    => None
    }
  }

  /** `writeTo(t).overwritePartitions()`: the table, the rows and the writer's options. */
  object OverwritePartitionsByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, Map[String, String])] = plan match {
      case OverwritePartitionsDynamic(table, query, options, true, false, _) => Some((table, query, options))
      case _                                                                 => None
    }
  }

  /** `writeTo(t).overwrite(condition)`: the table, the condition, the rows and the writer's options. */
  object OverwriteByName {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, Expression, LogicalPlan, Map[String, String])] = plan match {
      case OverwriteByExpression(table, condition, query, options, true, false, _, _) =>
        Some((table, condition, query, options))
      case _ => None
    }
  }

  /** `insertInto(t)` of a table that Spark does not take for one of the session catalog: the INSERT by position,
    * whether it replaces only partitions that get rows, where that is said, and the writer's options.
    */
  object InsertedInto {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Option[Boolean], Map[String, String])] = plan match {
      case AppendData(table: DataSourceV2Relation, query, options, false, false, _, _) =>
        Some((insert(table, query), None, options))
      case OverwriteByExpression(table: DataSourceV2Relation, TrueLiteral, query, options, false, false, _, _) =>
        Some((insert(table, query).copy(overwrite = true), None, options))
      case OverwritePartitionsDynamic(table: DataSourceV2Relation, query, options, false, false, _) =>
        Some((insert(table, query).copy(overwrite = true), Some(true), options))
      case _ => None
    }
  }

  private def insert(table: LogicalPlan, query: LogicalPlan) =
    InsertIntoStatement(table, Map.empty, Nil, query, overwrite = false, ifPartitionNotExists = false)

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
        Some((insert(table, query), condition))
      case _ => None
    }
  }

  /** `INSERT … REPLACE USING` and `REPLACE ON`: the INSERT alone, the columns or the condition, and the target's alias.
    */
  object InsertReplaceMatches {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Either[Seq[String], Expression], Option[String])] =
      plan match {
        case i: InsertIntoStatement => keys(i)
        case u: UnresolvedInsert    => keys(u.toInsertIntoStatement(u.table))
        case _                      => None
      }

    private def keys(i: InsertIntoStatement) = i.replaceCriteriaOpt.collect {
      case InsertReplaceUsing(columns)       => (alone(i), Left(columns), None)
      case InsertReplaceOn(condition, alias) => (alone(i), Right(condition), alias)
    }

    private def alone(i: InsertIntoStatement) = i.copy(overwrite = false, replaceCriteriaOpt = None)
  }

  /** `INSERT WITH SCHEMA EVOLUTION`: the INSERT without it, and whether it replaces rows that it looks for. */
  object EvolvingInsert {
    def unapply(plan: LogicalPlan): Option[(InsertIntoStatement, Boolean)] = plan match {
      case i: InsertIntoStatement if i.withSchemaEvolution => Some((fixed(i), i.replaceCriteriaOpt.isDefined))
      case u: UnresolvedInsert if u.withSchemaEvolution    => unapply(u.toInsertIntoStatement(u.table))
      case _                                               => None
    }

    private def fixed(i: InsertIntoStatement) = i.copy(withSchemaEvolution = false)
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
