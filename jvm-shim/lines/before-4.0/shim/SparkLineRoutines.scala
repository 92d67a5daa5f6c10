package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The members of Spark's parser that came with 4.0: none. */
trait SparkLineRoutines extends ParserInterface {
  protected def delegate: ParserInterface
}
