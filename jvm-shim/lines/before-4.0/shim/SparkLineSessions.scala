package org.apache.spark.sql.hiveacid

import org.apache.spark.SparkContext
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution

/** Sessions and their jobs as they were before 4.0. */
object SparkLineSessions {

  /** private[sql]; what the session is known by. Its jobs have no tag. */
  def tag(session: SparkSession): String = session.sessionUUID

  /** The tags of the sessions that run something on this thread: those of its execution and of the one around it. */
  def runningTags(context: SparkContext): Set[String] =
    Seq(SQLExecution.EXECUTION_ROOT_ID_KEY, SQLExecution.EXECUTION_ID_KEY)
      .flatMap(key => Option(context.getLocalProperty(key)))
      .flatMap(id => Option(SQLExecution.getQueryExecution(id.toLong)))
      .map(execution => tag(execution.sparkSession))
      .toSet

  /** Spark cancels without a reason. */
  def cancelJobs(context: SparkContext, tag: String, why: String): Unit = context.cancelJobsWithTag(tag)

  /** The plan that reads a cache of the same query, if there is one. */
  def cached(session: SparkSession, plan: LogicalPlan): Option[LogicalPlan] = {
    val cached = session.sharedState.cacheManager.lookupCachedData(plan)
    cached.map(_.cachedRepresentation.withOutput(plan.output))
  }

  def expression(session: SparkSession, column: Column): Expression = column.expr
}
