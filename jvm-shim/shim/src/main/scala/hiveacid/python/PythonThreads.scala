package hiveacid.python

import java.util.concurrent._
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.hiveacid.SparkLineSessions

/** Calls to Python from threads that are not Python's own.
  *
  * For each JVM thread that calls, py4j opens a connection and Python starts a thread, and both stay. Spark plans scans
  * on threads that it makes anew for each shuffle, and servers run each statement on another thread, so that a session
  * would run out of files after some hundred queries. These calls go through few threads, which are used again.
  */
object PythonThreads {
  private val IdleSeconds = 3600L
  private val LookMs = 250L
  private val numbers = new AtomicInteger
  private val calls = new AtomicLong
  private val waiting = ConcurrentHashMap.newKeySet[Asked]()

  final private class OurThread(task: Runnable)
      extends Thread(task, s"hive-acid-callback-${numbers.incrementAndGet()}") {
    setDaemon(true)
  }

  // as many as call at once: a call may wait for a lock, and must not hold up others
  private val threads = new ThreadPoolExecutor(
    0,
    Int.MaxValue,
    IdleSeconds,
    TimeUnit.SECONDS,
    new SynchronousQueue[Runnable],
    (task => new OurThread(task)): ThreadFactory
  )

  /** The answer to `question`, which calls Python; with the local properties, the session and the class loader of this
    * thread.
    *
    * An interrupt of this thread cancels the call, as Spark's servers interrupt the thread of a statement that is
    * cancelled. The answer is waited for all the same: it tells what became of the statement.
    */
  def ask[T](session: SparkSession)(question: => T): T =
    if (isPythons || isOurs) question // its connection is there, and Ctrl-C reaches the call
    else {
      val asked = new Asked(session)
      val loader = Thread.currentThread.getContextClassLoader
      val answer = SQLExecution.withThreadLocalCaptured(session, threads) {
        Thread.currentThread.setContextClassLoader(loader)
        session.sparkContext.addJobTag(asked.tag)
        question
      }
      waiting.add(asked)
      try asked.await(answer)
      finally waiting.remove(asked)
    }

  /** Has one of these threads do what calls Python, and nobody wait for it. */
  def later(task: () => Unit): Unit = threads.execute(() => task())

  /** Cancels all calls that are waited for here. */
  def cancelAll(reason: String): Unit = waiting.asScala.foreach(_.cancel(reason))

  /** A call whose answer is waited for. Its jobs have a tag, by which Python knows it too. */
  final private class Asked(session: SparkSession) {
    val tag: String = s"hive-acid-call-${calls.incrementAndGet()}"
    @volatile private var reason: Option[String] = None
    @volatile private var sending: Option[Future[_]] = None

    def await[T](answer: Future[T]): T = {
      var isInterrupted = false
      var found: Option[T] = None
      try {
        while (found.isEmpty)
          try found = Some(answer.get(LookMs, TimeUnit.MILLISECONDS))
          catch {
            case e: ExecutionException => throw e.getCause
            // again: the call may not have begun, or not have had its job yet
            case _: TimeoutException     => reason.foreach(_ => send())
            case _: InterruptedException =>
              isInterrupted = true
              cancel("its thread was interrupted")
          }
        found.get
      } finally if (isInterrupted) Thread.currentThread.interrupt()
    }

    def cancel(why: String): Unit = {
      reason = Some(why)
      send()
    }

    /** Not on this thread, for Python may be slow to answer. */
    private def send(): Unit =
      if (sending.forall(_.isDone)) sending = Some(threads.submit((() => sendNow()): Runnable))

    private def sendNow(): Unit = {
      val why = reason.getOrElse("")
      PythonSide.registered.foreach(_.cancel(tag, why))
      SparkLineSessions.cancelJobs(session.sparkContext, tag, why)
    }
  }

  private def isOurs: Boolean = Thread.currentThread.isInstanceOf[OurThread]

  /** True on a thread that runs what Python has called. */
  private def isPythons: Boolean =
    StackWalker.getInstance.walk[Boolean](_.anyMatch(frame => frame.getClassName == "py4j.ClientServerConnection"))
}
