package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, LogicalPlan, MergeAction, TableSpec, UpdateAction}
import org.apache.spark.sql.execution.command.SaveAsV1TableCommand
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

/** Spark's nodes of statements as they are since 4.1. */
object SparkLineNodes {

  /** A table of the catalog that is read as a stream. */
  object StreamedTable {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
      case s: StreamingRelation => s.dataSource.catalogTable
      case _                    => None
    }
  }

  /** WHEN … THEN UPDATE: its condition, its assignments, and whether they are those of `UPDATE *`. */
  object MergeUpdate {
    def unapply(action: MergeAction): Option[(Option[Expression], Seq[Assignment], Boolean)] = action match {
      case UpdateAction(condition, assignments, fromStar) => Some((condition, assignments, fromStar))
      case _                                              => None
    }
  }

  /** One assignment for each column, by Spark's store assignment. */
  def alignedUpdate(columns: Seq[Attribute], assignments: Seq[Assignment], fromStar: Boolean): Seq[Assignment] =
    AssignmentUtils.alignUpdateAssignments(columns, assignments, fromStar, coerceNestedTypes = false)

  /** private[sql]; `saveAsTable` is this command since 4.1, and it drops the table before a later rule could see it. */
  def saveAsTable(plan: LogicalPlan): Option[SaveAsTable] = plan match {
    case s: SaveAsV1TableCommand => Some(SaveAsTable(s.tableDesc, s.mode, s.query))
    case _                       => None
  }

  /** A new table's constraints: keys and checks. */
  def hasConstraints(spec: TableSpec): Boolean = spec.constraints.nonEmpty

  /** Whether this thread looks the table up in order to drop it: no, as `saveAsTable` is a command. */
  def isReadToBeDropped: Boolean = false
}
