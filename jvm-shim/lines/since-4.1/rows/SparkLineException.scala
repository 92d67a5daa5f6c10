package org.apache.spark.sql.hiveacid

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException

/** An AnalysisException whose message is complete. Since 4.1 it carries its SQLSTATE itself, also where Spark copies it
  * to add a position or a plan.
  */
abstract class SparkLineException(
    text: String,
    condition: String,
    sqlState: String,
    parameters: Map[String, String],
    cause: Option[Throwable]
) extends AnalysisException(
      text,
      None,
      None,
      cause,
      Some(condition),
      parameters,
      Array.empty[QueryContext],
      Some(sqlState),
      None
    )
