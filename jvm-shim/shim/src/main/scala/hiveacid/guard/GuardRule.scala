package hiveacid.guard

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** The guard as a rule: what it throws here reaches the user with its SQLSTATE, which Spark drops from what check rules
  * throw.
  */
case class GuardRule(session: SparkSession) extends Rule[LogicalPlan] {
  private val guard = Guard(session)
  private val transactions = GuardTransactions(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    guard(plan)
    transactions(plan)
    plan
  }
}
