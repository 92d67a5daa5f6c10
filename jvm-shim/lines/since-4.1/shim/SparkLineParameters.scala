package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The members of Spark's parser that came with 4.1. */
trait SparkLineParameters extends ParserInterface {
  protected def delegate: ParserInterface

  /** The plan of a text that `parse` may reject. */
  protected def parsed(text: String, parse: String => LogicalPlan): LogicalPlan

  override def parsePlanWithParameters(text: String, parameters: ParameterContext): LogicalPlan =
    parsed(text, delegate.parsePlanWithParameters(_, parameters))
}
