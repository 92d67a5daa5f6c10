package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.AlterTableChangeColumnCommentsCommand

/** Comments on columns as they are since 4.3. */
object SparkLineComments {

  /** The table of a statement that comments on several columns, or on a nested one: it stores all columns as it has
    * read them.
    */
  object ColumnsOf {
    def unapply(plan: LogicalPlan): Option[TableIdentifier] = plan match {
      case c: AlterTableChangeColumnCommentsCommand => Some(c.tableName)
      case _                                        => None
    }
  }
}
