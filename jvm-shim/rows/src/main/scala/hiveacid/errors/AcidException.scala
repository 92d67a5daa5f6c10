package hiveacid.errors

import java.util.regex.{Matcher, Pattern}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.hiveacid.SparkLineException

/** An error with a named condition of conditions.json, the file that Python and this jar share. It is an
  * AnalysisException because PySpark and Spark Connect hand those to the user with condition, SQLSTATE and parameters.
  *
  * @param text
  *   the whole message, `[CONDITION] … SQLSTATE: …`
  */
class AcidException(
    text: String,
    val condition: String,
    sqlState: String,
    parameters: Map[String, String],
    cause: Option[Throwable]
) extends SparkLineException(text, condition, sqlState, parameters, cause) {

  /** The condition without its sub-condition. */
  def mainCondition: String = condition.takeWhile(_ != '.')

  /** False if the statement that failed has certainly committed nothing. An error that can end a statement anywhere
    * tells what became of it.
    */
  def mayBeCommitted: Boolean = condition == "HIVE_ACID_COMMIT_STATE_UNKNOWN" ||
    Seq("COMMITTED", "NOT_KNOWN").map(AcidException.outcome).exists(parameters.values.toSeq.contains)
}

object AcidException {
  private val placeholder = Pattern.compile("<(\\w+)>")
  private val CauseDepth = 20

  /** The parameter that says what became of the statement. Where Python knows, it tells. */
  private val Outcome = "outcome"

  private lazy val conditions = resource("/conditions.json")
  private lazy val outcomes = resource("/outcomes.json")

  private def resource(name: String) = {
    val stream = classOf[AcidException].getResourceAsStream(name)
    try new ObjectMapper().readTree(stream)
    finally stream.close()
  }

  /** The error of `condition`, a main one or `MAIN.SUB`. Every placeholder of its template must be among `parameters`,
    * but for the outcome, which is that of a query, for only a statement that writes has another.
    */
  def apply(condition: String, parameters: Map[String, String], cause: Throwable = null): AcidException = {
    val (message, state) = template(condition)
    val known =
      if (message.contains(s"<$Outcome>")) Map(Outcome -> outcome("QUERY_FAILED")) ++ parameters
      else parameters
    val text = placeholder.matcher(message).replaceAll(found => Matcher.quoteReplacement(known(found.group(1))))
    new AcidException(s"[$condition] ${text.stripTrailing} SQLSTATE: $state", condition, state, known, Option(cause))
  }

  /** The message and the SQLSTATE, as `hive_acid.errors.conditions` of Python puts them together. */
  private def template(condition: String): (String, String) = {
    val names = condition.split('.')
    val main = conditions.get(names.head)
    require(main.has("subClass") == (names.length == 2), s"$condition cannot be raised")
    val (message, state) = (main.get("message").asText, main.get("sqlState").asText)
    if (names.length == 1) (message, state)
    else {
      val sub = main.get("subClass").get(names.last)
      (s"$message ${sub.get("message").asText}", Option(sub.get("sqlState")).fold(state)(_.asText))
    }
  }

  /** The text of one of outcomes.json. */
  def outcome(name: String): String = outcomes.get(name).asText

  /** Called by Python with an error of the JVM's: the same, or one that says what became of the statement if an error
    * in it can tell.
    */
  def told(error: Throwable, outcome: String): Throwable =
    Iterator
      .iterate(error)(_.getCause)
      .takeWhile(_ != null)
      .take(CauseDepth)
      .collectFirst { case a: AcidException => a }
      .filter(_.getMessageParameters.containsKey(Outcome))
      .fold(error) { a =>
        val parameters = a.getMessageParameters.asScala.toMap + (Outcome -> outcome)
        val said = apply(a.condition, parameters, error)
        val notes = a.getMessage.split(s"SQLSTATE: ${said.getSqlState}", 2).drop(1).mkString
        new AcidException(said.getMessage + notes, a.condition, said.getSqlState, parameters, Some(error))
      }

  /** Called by Python with a message it has formatted itself. */
  def fromPython(
      text: String,
      condition: String,
      sqlState: String,
      parameters: java.util.Map[String, String],
      cause: Throwable
  ): AcidException = new AcidException(text, condition, sqlState, parameters.asScala.toMap, Option(cause))

  /** @param refusal
    *   of HIVE_ACID_UNSUPPORTED_STATEMENT or HIVE_ACID_UNSUPPORTED_TABLE
    */
  def unsupported(operation: String, table: String, refusal: Refusal): AcidException =
    apply(refusal.condition, refusal.parameters ++ Map("operation" -> operation, "table" -> table))
}
