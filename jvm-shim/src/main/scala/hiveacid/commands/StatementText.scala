package hiveacid.commands

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin

/** The SQL text that a statement was parsed from, for the table's history. */
object StatementText {

  /** More is never looked at: who inserts a million values by their text need not send it twice. */
  private val MaxLength = 20000

  /** `sql`, the text or its beginning; `whole`, whether it is all of it; `position`, a place of the statement's own in
    * it, in code points, of which a SQL script has many. None for what a method of a DataFrame has made.
    */
  def of(plan: LogicalPlan): Option[ObjectNode] = plan.origin.sqlText.map { text =>
    val sql = text.take(MaxLength)
    val json = new ObjectMapper().createObjectNode().put("sql", sql).put("whole", sql.length == text.length)
    json.put("position", plan.origin.startIndex.getOrElse(0))
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
