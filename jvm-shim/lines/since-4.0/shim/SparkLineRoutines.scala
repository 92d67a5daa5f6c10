package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.types.StructType

/** The members of Spark's parser that came with 4.0. */
trait SparkLineRoutines extends ParserInterface {
  protected def delegate: ParserInterface

  override def parseRoutineParam(text: String): StructType = delegate.parseRoutineParam(text)
}
