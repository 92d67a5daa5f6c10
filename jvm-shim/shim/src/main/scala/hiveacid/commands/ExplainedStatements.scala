package hiveacid.commands

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.command.ExplainCommand

/** Marks the statement of an EXPLAIN. Rules copy the mark to what they make of it, but not to a statement that Spark
  * carries out while it analyses this one.
  */
object ExplainedStatements extends Rule[LogicalPlan] {
  private val Mark = TreeNodeTag[Unit]("hiveacid.explained")

  def isExplained(statement: LogicalPlan): Boolean = statement.getTagValue(Mark).isDefined

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case e: ExplainCommand => e.logicalPlan.foreach(_.setTagValue(Mark, ()))
      case _                 =>
    }
    plan
  }
}
