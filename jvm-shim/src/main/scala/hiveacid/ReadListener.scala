package hiveacid

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** Tells Python when an execution that read a transactional table has ended, in whatever way, so that its read
  * transaction ends too.
  */
object ReadListener extends SparkListener with Logging {
  private val reading = ConcurrentHashMap.newKeySet[Long]()

  /** A scan of this root execution is about to open a snapshot. */
  def started(rootExecutionId: Long): Unit = reading.add(rootExecutionId)

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd if reading.remove(end.executionId) =>
      Bridge.registered.foreach { planner =>
        planner.endExecution(end.executionId) match {
          // nobody waits for this answer; the transaction times out if it could not be ended
          case t: Throwable => logWarning(s"the read transaction of execution ${end.executionId} was not ended", t)
          case _            =>
        }
      }
    case _ =>
  }
}
