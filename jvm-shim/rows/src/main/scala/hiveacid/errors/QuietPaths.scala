package hiveacid.errors

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.sql.hiveacid.RowAccess

/** Paths and values in errors. Spark writes those of tasks, and those that end a query, into logs, its event log and
  * the UI before anybody else sees them, and the folder of a partition may be named by a subject of an erasure, whose
  * threads and jobs have the property for that.
  */
object QuietPaths {

  /** The local property of jobs whose errors tell no paths; `hive_acid_erasure.spark.subject_functions` sets it. */
  private val Property = "hiveacid.erasure.quiet"
  private val Hidden = "(a file that is not named here)"
  private val HiddenValue = "(one that is not shown here)"

  def areKept: Boolean =
    Option(TaskContext.get()).map(_.getLocalProperty(Property)).getOrElse(RowAccess.localProperty(Property)) != null

  def show(path: Path): String = if (areKept) Hidden else path.toString

  /** A value of a row, which may be a subject's. */
  def hide(value: String): String = if (areKept) HiddenValue else value

  /** The name of a partition, with words around it. */
  def showPartition(name: String): String = if (areKept) "a partition that is not named here" else s"partition $name"

  /** The text of an error, which may quote a path. */
  def reason(error: Throwable, text: Throwable => String): String =
    if (areKept) error.getClass.getSimpleName else text(error)

  /** The cause to be told, null for none. */
  def cause(error: Throwable): Throwable = if (areKept) null else error

  /** The result of `body`, whose error may quote a value. */
  def quietly[T](body: => T)(hidden: Throwable => Throwable): T =
    try body
    catch { case NonFatal(e) if areKept => throw hidden(e) }
}
