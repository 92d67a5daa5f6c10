package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The members of Spark's parser that came with 4.3: none. */
trait SparkLineParser extends ParserInterface {
  protected def delegate: ParserInterface
}
