package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** Spark's parser did nothing else before 4.3 than on every line. */
trait LineParser extends ParserInterface {
  protected def delegate: ParserInterface
}
