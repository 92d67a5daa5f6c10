package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The members of Spark's parser that came with 4.1: none, for values take the place of parameters in the analyzer. */
trait SparkLineParameters extends ParserInterface {
  protected def delegate: ParserInterface

  /** The plan of a text that `parse` may reject. */
  protected def parsed(text: String, parse: String => LogicalPlan): LogicalPlan
}
