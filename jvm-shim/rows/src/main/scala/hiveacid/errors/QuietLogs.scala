package hiveacid.errors

import java.lang.ref.WeakReference

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{Filter, LogEvent, LoggerContext}
import org.apache.logging.log4j.core.config.Configuration
import org.apache.logging.log4j.core.filter.AbstractFilter

import org.apache.spark.SparkContext

/** Logs of a process without what others tell of rows and paths on the threads of an erasure: SerDes of Hive write a
  * row that they cannot read at WARN (`RegexSerDe`, `JsonSerDe`), Spark the first line of a file of CSV
  * (`CSVHeaderChecker`), clients of storage the path of a file.
  */
object QuietLogs {
  private val OfSpark = "org.apache.spark."

  /** Packages of Spark that read rows and files. */
  private val Readers = Seq("sql.", "rdd.").map(OfSpark + _)
  private val Ours = "hiveacid."

  /** The configuration that has the filter; a program that configures its logs anew has another one. */
  @volatile private var known = new WeakReference[Configuration](null)

  /** Nothing of the kind is logged from now on. False where another library than Log4j writes the logs, or another
    * thread does: these are as they were.
    */
  def install(): Boolean = LogManager.getContext(classOf[SparkContext].getClassLoader, false) match {
    case context: LoggerContext if context.getClass eq classOf[LoggerContext] =>
      if (known.get ne context.getConfiguration) add(context.getConfiguration)
      true
    case _ => false
  }

  private def add(configuration: Configuration): Unit = synchronized {
    if (known.get ne configuration) {
      configuration.getRootLogger.addFilter(Silence)
      configuration.getLoggers.values.forEach(logger => if (logger.getFilter != Silence) logger.addFilter(Silence))
      known = new WeakReference(configuration)
    }
  }

  private def tells(logger: String) =
    !logger.startsWith(Ours) && (!logger.startsWith(OfSpark) || Readers.exists(logger.startsWith(_)))

  private object Silence extends AbstractFilter {
    override def filter(event: LogEvent): Filter.Result =
      if (tells(event.getLoggerName) && QuietPaths.areKept) Filter.Result.DENY else Filter.Result.NEUTRAL
  }
}
