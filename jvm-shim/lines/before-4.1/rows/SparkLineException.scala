package org.apache.spark.sql.hiveacid

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException

/** An AnalysisException whose message is complete. Before 4.1 Spark looks its SQLSTATE up among its own conditions, so
  * that a copy, to which Spark adds a position or a plan, must be one of these too.
  */
class SparkLineException(
    text: String,
    condition: String,
    sqlState: String,
    parameters: Map[String, String],
    cause: Option[Throwable],
    atLine: Option[Int] = None,
    atPosition: Option[Int] = None,
    contexts: Array[QueryContext] = Array.empty
) extends AnalysisException(text, atLine, atPosition, cause, Some(condition), parameters, contexts) {
  override def getSqlState: String = sqlState

  override def copy(
      message: String,
      line: Option[Int],
      startPosition: Option[Int],
      cause: Option[Throwable],
      errorClass: Option[String],
      messageParameters: Map[String, String],
      context: Array[QueryContext]
  ): AnalysisException =
    new SparkLineException(message, condition, sqlState, messageParameters, cause, line, startPosition, context)
}
