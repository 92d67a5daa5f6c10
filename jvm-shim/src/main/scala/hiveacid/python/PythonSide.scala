package hiveacid.python

import com.fasterxml.jackson.module.scala.JavaTypeable
import hiveacid.errors.AcidException
import hiveacid.wire.Wire

import org.apache.spark.sql.classic.SparkSession

/** Python's side of the application: who answers, and how its answers are taken. */
object PythonSide {
  private val CauseDepth = 20
  @volatile private var planner: Option[Planner] = None

  /** From now on this planner is asked. */
  def connect(p: Planner): Unit = planner = Option(p)

  /** Every transactional table is refused from then on. */
  def disconnect(): Unit = planner = None

  /** The registered planner; refuses by name if this session was not set up by `hive_acid.configure`. */
  def plannerFor(table: String): Planner =
    planner.getOrElse(throw AcidException("HIVE_ACID_NO_PLANNER", Map("table" -> table)))

  def registered: Option[Planner] = planner

  /** The message Python answered with, or its error thrown. */
  def message[T: JavaTypeable](answer: Object): T = Wire.read[T](text(answer))

  /** The text Python answered with, or its error thrown. */
  def text(answer: Object): String = answer match {
    // a named error of a task comes wrapped in Spark's "failed to read file" or "job aborted"
    case t: Throwable => throw named(t).getOrElse(t)
    case s: String    => s
    case other        =>
      val parameters = Map("reason" -> s"Python answered $other", "outcome" -> AcidException.outcome("NOT_KNOWN"))
      throw AcidException("HIVE_ACID_INTERNAL", parameters)
  }

  private def named(t: Throwable): Option[AcidException] =
    causes(t).collectFirst { case a: AcidException => a }

  /** The error and its causes, as far as anybody looks. */
  def causes(t: Throwable): Iterator[Throwable] =
    Iterator.iterate(t)(_.getCause).takeWhile(_ != null).take(CauseDepth)

  /** The session's own settings of ours, for a request. */
  def settings(session: SparkSession): Map[String, String] =
    session.sessionState.conf.getAllConfs.filter { case (key, _) =>
      key.toLowerCase(java.util.Locale.ROOT).startsWith("spark.hiveacid.")
    }
}
