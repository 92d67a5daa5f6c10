package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.{ParserInterface, SqlStatementSplitResult}

/** The members of Spark's parser that came with 4.3; ours leaves them to it. */
trait SparkLineParser extends ParserInterface {
  protected def delegate: ParserInterface

  override def splitStatements(text: String): SqlStatementSplitResult = delegate.splitStatements(text)
}
