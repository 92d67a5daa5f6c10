package hiveacid.commands

import hiveacid.wire.StatementText

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin

/** The SQL text that a statement was parsed from, for the table's history. */
object StatementTexts {

  /** More is never looked at: who inserts a million values by their text need not send it twice. */
  private val MaxLength = 20000

  /** None for what a method of a DataFrame has made. The position is in code points. */
  def of(plan: LogicalPlan): Option[StatementText] = plan.origin.sqlText.map { text =>
    val sql = text.take(MaxLength)
    StatementText(sql, plan.origin.startIndex.getOrElse(0), isWhole = sql.length == text.length)
  }

  /** Where the statement that begins with this word was parsed whose query this is, for Spark's rules lose that of a
    * CREATE TABLE … AS SELECT; of none for a query that a DataFrame brings.
    */
  def origin(query: LogicalPlan, word: String): Origin =
    query
      .collectFirst {
        case p if p.origin.sqlText.exists(_.trim.regionMatches(true, 0, word, 0, word.length)) => p.origin
      }
      .getOrElse(Origin())
}
