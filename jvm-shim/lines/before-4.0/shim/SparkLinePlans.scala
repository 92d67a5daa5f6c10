package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.analysis.UnresolvedTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{AlterColumn, LogicalPlan, MergeAction, MergeIntoTable}

/** Spark's nodes of statements as they were before 4.0. */
object SparkLinePlans {

  /** `MERGE WITH SCHEMA EVOLUTION` is none of this line's statements. */
  def evolvesSchema(merge: MergeIntoTable): Boolean = false

  def fixed(merge: MergeIntoTable): MergeIntoTable = merge

  def merge(
      target: LogicalPlan,
      source: LogicalPlan,
      condition: Expression,
      matched: Seq[MergeAction],
      notMatched: Seq[MergeAction],
      notMatchedBySource: Seq[MergeAction]
  ): MergeIntoTable = MergeIntoTable(target, source, condition, matched, notMatched, notMatchedBySource)

  def table(parts: Seq[String], operation: String): UnresolvedTable =
    UnresolvedTable(parts, operation, relationTypeMismatchHint = None)

  /** A statement that gives a column another place, or takes or gives it NOT NULL: its table. */
  object MovedColumns {
    def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
      case a: AlterColumn if a.position.isDefined || a.nullable.isDefined => Some(a.table)
      case _                                                              => None
    }
  }

  /** CALL, as Iceberg's own parser makes it, for Spark has no procedures: its name, and the values of its arguments. */
  object ProcedureCall {
    def unapply(plan: LogicalPlan): Option[(Seq[String], Seq[Expression])] =
      if (plan.nodeName != "CallStatement") None
      else
        plan.productIterator.toList match {
          case List(name: Seq[_], arguments: Seq[_]) =>
            val values = arguments.collect { case a: Product => a.productIterator.toList }.flatten
            Some((name.map(_.toString), values.collect { case e: Expression => e }))
          case _ => None
        }
  }

  /** A text of several statements: there are none. */
  def isScript(plan: LogicalPlan): Boolean = false

  /** A statement of a script: there are no scripts. */
  object Scripted {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan => LogicalPlan)] = None
  }
}

/** A command about a statement, which `SupervisedParameters` completes with its parameters. */
trait SparkLineSupervision {
  def withTransformedSupervisedPlan(transformer: LogicalPlan => LogicalPlan): LogicalPlan
}
