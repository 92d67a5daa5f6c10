package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.analysis.{UnresolvedProcedure, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  AlterColumns,
  Call,
  CompoundBody,
  LogicalPlan,
  MergeAction,
  MergeIntoTable,
  SingleStatement,
  SupervisingCommand
}

/** Spark's nodes of statements as they are since 4.0. */
object SparkLinePlans {
  def evolvesSchema(merge: MergeIntoTable): Boolean = merge.withSchemaEvolution

  /** The same MERGE without schema evolution. */
  def fixed(merge: MergeIntoTable): MergeIntoTable = merge.copy(withSchemaEvolution = false)

  def merge(
      target: LogicalPlan,
      source: LogicalPlan,
      condition: Expression,
      matched: Seq[MergeAction],
      notMatched: Seq[MergeAction],
      notMatchedBySource: Seq[MergeAction]
  ): MergeIntoTable =
    MergeIntoTable(target, source, condition, matched, notMatched, notMatchedBySource, withSchemaEvolution = false)

  def table(parts: Seq[String], operation: String): UnresolvedTable =
    UnresolvedTable(parts, operation, suggestAlternative = true)

  /** A statement that gives a column another place, or takes or gives it NOT NULL: its table. */
  object MovedColumns {
    def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
      case a: AlterColumns if a.specs.exists(s => s.newPosition.isDefined || s.newNullability.isDefined) =>
        Some(a.table)
      case _ => None
    }
  }

  /** CALL, as the parser made it: the name of the procedure, and the values of its arguments. */
  object ProcedureCall {
    def unapply(plan: LogicalPlan): Option[(Seq[String], Seq[Expression])] = plan match {
      case c: Call =>
        Option(c.procedure).collect { case p: UnresolvedProcedure =>
          (p.nameParts, c.args.map { case NamedArgumentExpression(_, value) => value; case value => value })
        }
      case _ => None
    }
  }

  /** A text of several statements. */
  def isScript(plan: LogicalPlan): Boolean = plan.isInstanceOf[CompoundBody]

  /** A statement of a script: what is in it, and the same node with another. */
  object Scripted {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan => LogicalPlan)] = plan match {
      case s: SingleStatement => Some((s.parsedPlan, other => s.copy(parsedPlan = other)))
      case _                  => None
    }
  }
}

/** A command about a statement, which Spark completes with its parameters. */
trait SparkLineSupervision extends SupervisingCommand
