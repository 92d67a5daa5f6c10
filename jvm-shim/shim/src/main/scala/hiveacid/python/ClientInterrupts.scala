package hiveacid.python

import org.apache.hadoop.hive.common.HiveInterruptUtils

/** Ctrl-C in `spark-sql`. Spark cancels its jobs then, of which a statement that waits for a lock has none; Hive's list
  * of those who want to hear of it is what its client calls.
  */
object ClientInterrupts {

  /** Once per JVM. */
  lazy val heard: Unit =
    try HiveInterruptUtils.add(() => PythonThreads.cancelAll("it was interrupted"))
    catch { case _: LinkageError => } // a Spark without Hive has no such client
}
