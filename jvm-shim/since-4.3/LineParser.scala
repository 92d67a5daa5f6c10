package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.catalyst.parser.{ParserInterface, SqlStatementSplitResult}

/** What Spark's parser does since 4.3 alone, and ours leaves to it. */
trait LineParser extends ParserInterface {
  protected def delegate: ParserInterface

  override def splitStatements(text: String): SqlStatementSplitResult = delegate.splitStatements(text)
}
