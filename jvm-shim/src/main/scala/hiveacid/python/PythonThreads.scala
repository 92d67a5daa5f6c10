package hiveacid.python

import java.util.concurrent.{ExecutionException, SynchronousQueue, ThreadFactory, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.{SparkSession => ApiSession}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** Calls to Python from threads that are not Python's own.
  *
  * For each JVM thread that calls, py4j opens a connection and Python starts a thread, and both stay. Spark plans scans
  * on threads that it makes anew for each shuffle, so that a session would run out of files after some hundred queries.
  * These calls go through few threads, which are used again.
  */
object PythonThreads {
  private val IdleSeconds = 3600L
  private val numbers = new AtomicInteger

  private val daemons: ThreadFactory = { (task: Runnable) =>
    val thread = new Thread(task, s"hive-acid-callback-${numbers.incrementAndGet()}")
    thread.setDaemon(true)
    thread
  }

  // as many as call at once: a call may wait for a lock, and must not hold up others
  private val threads = new ThreadPoolExecutor(
    0,
    Int.MaxValue,
    IdleSeconds,
    TimeUnit.SECONDS,
    new SynchronousQueue[Runnable],
    daemons
  )

  /** The answer to `question`, which calls Python; with the local properties and the session of this thread. */
  def ask(session: SparkSession)(question: => Object): Object =
    if (isPythons) question // its connection is there, and Ctrl-C reaches the call
    else {
      val properties = SparkAccess.localProperties(session.sparkContext)
      val asked = threads.submit { () =>
        SparkAccess.setLocalProperties(session.sparkContext, properties)
        ApiSession.setActiveSession(session)
        question
      }
      try asked.get()
      catch { case e: ExecutionException => throw e.getCause }
    }

  /** True on a thread that runs what Python has called. */
  private def isPythons: Boolean =
    StackWalker.getInstance.walk[Boolean](_.anyMatch(frame => frame.getClassName == "py4j.ClientServerConnection"))
}
