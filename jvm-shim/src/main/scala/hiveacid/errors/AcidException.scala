package hiveacid.errors

import java.util.regex.{Matcher, Pattern}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.QueryContext
import org.apache.spark.sql.AnalysisException

/** An error with a named condition of conditions.json, the file that Python and this jar share. It is an
  * AnalysisException because PySpark and Spark Connect hand those to the user with condition, SQLSTATE and parameters.
  *
  * @param text
  *   the whole message, `[CONDITION] … SQLSTATE: …`
  */
class AcidException(
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
      // carried by the base class, because Spark copies an exception to add a position or a plan to it
      Some(sqlState),
      None
    )

object AcidException {
  private val placeholder = Pattern.compile("<(\\w+)>")

  private lazy val conditions = {
    val stream = classOf[AcidException].getResourceAsStream("/conditions.json")
    try new ObjectMapper().readTree(stream)
    finally stream.close()
  }

  /** The error of `condition`; every placeholder of its template must be among `parameters`. */
  def apply(condition: String, parameters: Map[String, String], cause: Throwable = null): AcidException = {
    val entry = conditions.get(condition)
    val matcher = placeholder.matcher(entry.get("message").asText)
    val text = matcher.replaceAll(found => Matcher.quoteReplacement(parameters(found.group(1))))
    val state = entry.get("sqlState").asText
    new AcidException(s"[$condition] $text SQLSTATE: $state", condition, state, parameters, Option(cause))
  }

  /** Called by Python with a message it has formatted itself. */
  def fromPython(
      text: String,
      condition: String,
      sqlState: String,
      parameters: java.util.Map[String, String],
      cause: Throwable
  ): AcidException = new AcidException(text, condition, sqlState, parameters.asScala.toMap, Option(cause))

  def unsupported(operation: String, table: String): AcidException =
    apply("HIVE_ACID_UNSUPPORTED_STATEMENT", Map("operation" -> operation, "table" -> table))

  def unsupportedTable(operation: String, table: String, reason: String): AcidException =
    apply("HIVE_ACID_UNSUPPORTED_TABLE", Map("operation" -> operation, "table" -> table, "reason" -> reason))
}
