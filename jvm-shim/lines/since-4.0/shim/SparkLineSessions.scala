package org.apache.spark.sql.hiveacid

import org.apache.spark.SparkContext
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

/** Sessions and their jobs as they are since 4.0. */
object SparkLineSessions {

  /** private[sql]; the tag of all jobs that the session runs. */
  def tag(session: SparkSession): String = session.sessionJobTag

  /** The tags of the sessions that run something on this thread, among others. */
  def runningTags(context: SparkContext): Set[String] = context.getJobTags()

  def cancelJobs(context: SparkContext, tag: String, why: String): Unit = context.cancelJobsWithTag(tag, why)

  /** The plan that reads a cache of the same query, if there is one. */
  def cached(session: SparkSession, plan: LogicalPlan): Option[LogicalPlan] = {
    val cached = session.sharedState.cacheManager.lookupCachedData(session, plan)
    cached.map(_.cachedRepresentation.withOutput(plan.output))
  }

  /** private[sql]; a column's tree can be had in no public way. Texts in it are parsed here, by the session's parser.
    */
  def expression(session: SparkSession, column: Column): Expression = session.expression(column)
}
