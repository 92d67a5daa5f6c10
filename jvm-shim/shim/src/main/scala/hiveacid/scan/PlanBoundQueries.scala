package hiveacid.scan

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ReturnAnswer}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Before Spark's strategy for limits, which looks for them at the top of a query. */
object PlanBoundQueries extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ReturnAnswer(BoundQuery(child, binding)) => Seq(BoundQueryExec(planLater(ReturnAnswer(child)), binding))
    case BoundQuery(child, binding)               => Seq(BoundQueryExec(planLater(child), binding))
    case _                                        => Nil
  }
}
