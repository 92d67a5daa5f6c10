package hiveacid.scan

import org.apache.spark.sql.catalyst.expressions.{Alias, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.hiveacid.SparkAccess

/** The number of rows that a relation has, whatever other extensions show of it: they have no rule in this plan. */
object BareCount {
  def of(session: SparkSession, relation: LogicalPlan): Long = {
    val counted = Aggregate(Nil, Seq(Alias(Count(Literal(1)).toAggregateExpression(), "n")()), relation)
    val optimized = SparkAccess.plainOptimizer(session).execute(counted)
    QueryExecution.prepareExecutedPlan(session, optimized).executeCollect().head.getLong(0)
  }
}
