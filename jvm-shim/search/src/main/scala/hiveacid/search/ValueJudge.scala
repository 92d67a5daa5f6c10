package hiveacid.search

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Cast, EvalMode, Expression, Literal}

/** Whether values of columns that the metastore shows as texts meet a condition, as values of the columns' types.
  * Everything is computed in the driver: no plan, job or SQL text ever holds a value.
  */
object ValueJudge {

  /** One answer for each row of texts by column: whether a condition is met that is of these columns alone; None if
    * that cannot be told, as of a text that is no value of the column's type.
    *
    * @param table
    *   as in SQL
    */
  def judge(
      stored: StoredRows,
      table: String,
      conditions: Seq[String],
      rows: Seq[Map[String, String]]
  ): Seq[Option[Boolean]] = {
    val found = KeyConditions.of(stored, table, conditions).conditions.map(c => c -> columnsOf(c))
    val zone = stored.session.sessionState.conf.sessionLocalTimeZone
    rows.map { row =>
      val texts = row.map { case (column, text) => lower(column) -> text }
      val own = found.collect { case (met, columns) if columns.nonEmpty && columns.subsetOf(texts.keySet) => met }
      val answers = own.map(isMet(_, texts, zone))
      // an answer that is missing hides no other that is true
      if (answers.contains(Some(true))) Some(true) else if (answers.contains(None)) None else Some(false)
    }
  }

  private def isMet(met: Expression, texts: Map[String, String], zone: String): Option[Boolean] =
    try {
      val values = texts.map { case (column, text) => column -> Literal(text) }
      val bound = met.transform { case a: AttributeReference =>
        val value = Cast(values(lower(a.name)), a.dataType, Some(zone), EvalMode.TRY).eval()
        if (value == null) throw new IllegalArgumentException(s"no ${a.dataType.sql}")
        Literal(value, a.dataType)
      }
      Some(bound.eval(InternalRow.empty) == true)
    } catch { case NonFatal(_) => None } // its text may hold the value

  private def columnsOf(condition: Expression): Set[String] =
    condition.collect { case a: AttributeReference => lower(a.name) }.toSet

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
