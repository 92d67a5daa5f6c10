package hiveacid.scan

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import hiveacid.python.PythonSide
import hiveacid.wire.Wire

import org.apache.spark.{JobExecutionStatus, SparkContext}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerJobEnd, SparkListenerJobStart}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** Tells Python when an execution that read a transactional table has ended, in whatever way, so that its read
  * transaction ends too; and how long no job has run that may read outside of executions.
  */
object ReadListener extends SparkListener with Logging {
  private val reading = ConcurrentHashMap.newKeySet[Long]()
  private val jobs = new ConcurrentHashMap[Int, Boolean] // true for those outside of executions
  @volatile private var lastJobNanos = System.nanoTime
  @volatile private var context: Option[SparkContext] = None

  /** Called once a context is there: what ran in another has ended with it. */
  def reset(started: SparkContext): Unit = {
    context = Some(started)
    reading.clear()
    jobs.clear()
  }

  /** A scan of this execution is about to open a snapshot. */
  def started(executionId: Long): Unit = reading.add(executionId)

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd if reading.remove(end.executionId) => ended(end.executionId)
    case _                                                                    =>
  }

  override def onJobStart(start: SparkListenerJobStart): Unit = {
    val isWithin = Option(start.properties).exists(_.getProperty(SQLExecution.EXECUTION_ID_KEY) != null)
    jobs.put(start.jobId, !isWithin)
  }

  override def onJobEnd(end: SparkListenerJobEnd): Unit = jobEnded(end.jobId)

  private def jobEnded(job: Int): Unit = {
    lastJobNanos = System.nanoTime
    jobs.remove(job)
  }

  /** Called by Python: for how many milliseconds no job has run; 0 while one does. */
  def idleMs(): Long = {
    dropEnded()
    if (jobs.isEmpty) (System.nanoTime - lastJobNanos) / 1000000 else 0
  }

  /** Called by Python: whether a job outside of executions runs, as those of RDDs do. */
  def runsLooseJobs(): Boolean = {
    dropEnded()
    jobs.containsValue(true)
  }

  /** The ends that were not reported here may have reached Spark's own store, which has a queue of its own. */
  private def dropEnded(): Unit = for {
    tracker <- context.map(_.statusTracker)
    job <- jobs.keySet.asScala
    info <- tracker.getJobInfo(job) if info.status != JobExecutionStatus.RUNNING
  } jobEnded(job)

  /** Called by Python: those of these executions that cannot run any more, whether or not their ends were reported
    * here; Spark drops events when its bus is full.
    */
  def endedOf(executions: String): String = {
    val ended = Wire.read[Seq[Long]](executions).filter(SQLExecution.getQueryExecution(_) == null)
    ended.foreach(reading.remove(_))
    Wire.write(ended)
  }

  /** Nobody reads any more what was opened under this key. */
  def ended(key: Long): Unit = PythonSide.answering.foreach { api =>
    api.endExecution(key) match {
      // nobody waits for this answer; the transaction times out if it could not be ended
      case t: Throwable => logWarning(s"the read transaction of execution $key was not ended", t)
      case _            =>
    }
  }
}
