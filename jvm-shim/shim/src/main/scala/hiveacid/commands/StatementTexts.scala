package hiveacid.commands

import java.util.Locale

import hiveacid.wire.StatementText

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** The SQL text that a statement was parsed from, for the table's history and for Spark's UI. */
object StatementTexts {

  /** More is never looked at: who inserts a million values by their text need not send it twice. */
  private val MaxLength = 20000

  /** None for what a method of a DataFrame has made. The position is in code points. */
  def of(command: AcidWriteCommand): Option[StatementText] = command.origin.sqlText.map { text =>
    val sql = text.take(MaxLength)
    val lower = sql.toLowerCase(Locale.ROOT)
    val names = StatementNames.of(command).filter(lower.contains(_))
    StatementText(sql, command.origin.startIndex.getOrElse(0), isWhole = sql.length == text.length, names)
  }

  /** As much of a text as stands in a description. */
  private val MaxShown = 1000

  /** Runs something whose jobs have the statement's text as their description, as in `spark-sql`, unless the user has
    * given them one.
    */
  def describing[T](session: SparkSession, plan: LogicalPlan)(body: => T): T = {
    val context = session.sparkContext
    val key = "spark.job.description"
    shown(plan).filter(_ => context.getLocalProperty(key) == null).fold(body) { text =>
      context.setLocalProperty(key, SparkAccess.redacted(session, text))
      try body
      finally context.setLocalProperty(key, null)
    }
  }

  /** From where the statement begins to its end, or to a semicolon: the place of an INSERT ends before its query. */
  private def shown(plan: LogicalPlan): Option[String] = plan.origin.sqlText.map { text =>
    def index(position: Option[Int]) =
      position.filter(_ <= text.codePointCount(0, text.length)).fold(0)(text.offsetByCodePoints(0, _))
    val start = index(plan.origin.startIndex)
    val end = text.indexOf(';', start max index(plan.origin.stopIndex))
    val statement = text.substring(start, if (end < 0) text.length else end).trim
    if (statement.length > MaxShown) s"${statement.take(MaxShown)}…" else statement
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
