package hiveacid.analysis

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}

/** An INSERT OVERWRITE of which it is known what it replaces, whatever the session's settings say. It is a node, for
  * Spark 3.5 loses the tags of a statement while it resolves it.
  *
  * @param isDynamic
  *   whether only partitions that get rows are replaced
  */
case class ChosenOverwrite(insert: LogicalPlan, isDynamic: Boolean) extends UnaryCommand {
  override def child: LogicalPlan = insert
  override protected def withNewChildInternal(newChild: LogicalPlan): ChosenOverwrite = copy(insert = newChild)
}
