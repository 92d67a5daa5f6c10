package hiveacid.guard

import hiveacid.scan.SessionTransactions

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** A cache is shared by all sessions and is of no snapshot: a transaction must neither read one nor fill one with rows
  * that nobody else may see yet.
  */
case class RefuseCachesInTransactions(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    SessionTransactions.refuseCaches(session, plan)
    plan
  }
}
