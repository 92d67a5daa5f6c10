package hiveacid.errors

import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext

/** Paths in errors of tasks. Spark writes these into logs, its event log and the UI before anybody else sees them, and
  * the folder of a partition may be named by a subject of an erasure, whose jobs have the property for that.
  */
object QuietPaths {

  /** The local property of jobs whose errors tell no paths; `hive_acid_erasure.spark.subject_functions` sets it. */
  private val Property = "hiveacid.erasure.quiet"
  private val Hidden = "(a file that is not named here)"
  private val HiddenValue = "(one that is not shown here)"

  def areKept: Boolean = Option(TaskContext.get()).exists(_.getLocalProperty(Property) != null)

  def show(path: Path): String = if (areKept) Hidden else path.toString

  /** A value of a row, which may be a subject's. */
  def hide(value: String): String = if (areKept) HiddenValue else value

  /** The text of an error, which may quote a path. */
  def reason(error: Throwable, text: Throwable => String): String =
    if (areKept) error.getClass.getSimpleName else text(error)

  /** The cause to be told, null for none. */
  def cause(error: Throwable): Throwable = if (areKept) null else error
}
