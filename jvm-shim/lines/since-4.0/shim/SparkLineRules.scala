package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.{SparkSession => ApiSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules before those that resolve tables. */
object SparkLineRules {

  /** Spark has a batch for hints there, which takes other rules since 4.0. */
  def injectEarly(extensions: SparkSessionExtensions, rules: Seq[ApiSession => Rule[LogicalPlan]]): Unit =
    rules.foreach(rule => extensions.injectHintResolutionRule(rule(_)))
}
