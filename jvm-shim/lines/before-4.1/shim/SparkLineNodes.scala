package org.apache.spark.sql.hiveacid

import java.lang.StackWalker.StackFrame

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, LogicalPlan, MergeAction, TableSpec, UpdateAction}
import org.apache.spark.sql.execution.datasources.CreateTable
import org.apache.spark.sql.execution.streaming.StreamingRelation

/** Spark's nodes of statements as they were before 4.1. */
object SparkLineNodes {

  /** A table of the catalog that is read as a stream. */
  object StreamedTable {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
      case s: StreamingRelation => s.dataSource.catalogTable
      case _                    => None
    }
  }

  /** WHEN … THEN UPDATE: its condition, its assignments, and whether they are those of `UPDATE *`, which is not known.
    */
  object MergeUpdate {
    def unapply(action: MergeAction): Option[(Option[Expression], Seq[Assignment], Boolean)] = action match {
      case UpdateAction(condition, assignments) => Some((condition, assignments, false))
      case _                                    => None
    }
  }

  /** One assignment for each column, by Spark's store assignment. */
  def alignedUpdate(columns: Seq[Attribute], assignments: Seq[Assignment], fromStar: Boolean): Seq[Assignment] =
    AssignmentUtils.alignUpdateAssignments(columns, assignments)

  /** `saveAsTable` that appends, which nothing else makes this node. */
  def saveAsTable(plan: LogicalPlan): Option[SaveAsTable] = plan match {
    case CreateTable(table, SaveMode.Append, Some(query)) => Some(SaveAsTable(table, SaveMode.Append, query))
    case _                                                => None
  }

  /** A new table's constraints came with 4.1. */
  def hasConstraints(spec: TableSpec): Boolean = false

  /** Whether this thread looks the table up in order to drop it: `saveAsTable` that overwrites does so itself, without
    * a plan that a rule could see, right after it has looked whether its rows come from that table.
    */
  def isReadToBeDropped: Boolean = {
    val frames = StackWalker.getInstance().walk[Array[StackFrame]](_.toArray(new Array[StackFrame](_)))
    frames.zip(frames.drop(1)).exists { case (called, caller) =>
      called.getMethodName == "table" && called.getClassName.endsWith(".SparkSession") &&
      caller.getMethodName == "saveAsTable" && caller.getClassName.endsWith(".DataFrameWriter")
    }
  }
}
