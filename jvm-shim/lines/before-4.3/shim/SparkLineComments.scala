package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Comments on columns as they were before 4.3. */
object SparkLineComments {

  /** The table of a statement that comments on several columns, or on a nested one: there is none. */
  object ColumnsOf {
    def unapply(plan: LogicalPlan): Option[TableIdentifier] = None
  }
}
