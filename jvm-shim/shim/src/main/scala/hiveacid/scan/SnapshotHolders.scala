package hiveacid.scan

import java.lang.ref.{Cleaner, WeakReference}
import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag
import scala.util.control.NonFatal

import hiveacid.python.{PythonSide, PythonThreads}
import hiveacid.wire.Wire

import org.apache.spark.{JobExecutionStatus, SparkContext}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerJobEnd, SparkListenerJobStart}
import org.apache.spark.sql.catalyst.{QueryPlanningTracker, TableIdentifier}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** All that snapshots are held for, known for as long as the JVM lives. An entry stands from the beginning of a thing
  * to its end, whoever tells the end first: an event of Spark, Spark's own store (its bus drops events when it is
  * full), Python, or for a query the garbage collector. Python hears of ends that it cannot know.
  */
object SnapshotHolders extends SparkListener with Logging {
  sealed trait Holder

  /** An execution that reads transactional tables. */
  final private case class Execution(id: Long) extends Holder

  /** @param isLoose
    *   outside of executions, as those of RDDs are
    */
  final private case class Job(id: Int, isLoose: Boolean) extends Holder

  /** An open statement of a client of the Thrift server, which is the group of its jobs. */
  final private case class ClientStatement(group: String, session: String) extends Holder

  /** A transaction of several statements.
    *
    * @param session
    *   the tag of all jobs of the session that is in it
    * @param group
    *   the job group of its START TRANSACTION, null without one
    * @param tags
    *   the job tags then
    */
  final class Transaction(val token: String, val session: String, val group: String, val tags: Set[String])
      extends Holder {

    /** The one by which it was begun. A thread of Python's is one of the JVM's (PYSPARK_PIN_THREAD). */
    val thread: Thread = Thread.currentThread

    /** The Thrift server's session, once its START TRANSACTION is closed. */
    @volatile var client: Option[String] = None

    /** How many statements of it have written and ended, and their tables. */
    val writes = new AtomicInteger
    val tables: java.util.Set[TableIdentifier] = ConcurrentHashMap.newKeySet[TableIdentifier]()
  }

  private val open: java.util.Set[Holder] = ConcurrentHashMap.newKeySet[Holder]()
  private val queries = new WeakHashMap[QueryPlanningTracker, WeakReference[QuerySnapshot]]
  private lazy val cleaner = Cleaner.create()
  @volatile private var lastJobNanos = System.nanoTime
  @volatile private var context: Option[SparkContext] = None

  private def all[T <: Holder: ClassTag]: Iterable[T] = open.asScala.collect { case holder: T => holder }

  private def ended[T <: Holder: ClassTag](isMeant: T => Boolean): Unit = all[T].filter(isMeant).foreach(open.remove)

  /** Called once a context is there: what ran in another has ended with it. */
  def reset(started: SparkContext): Unit = {
    context = Some(started)
    ended[Execution](_ => true)
    ended[Job](_ => true)
  }

  /** The snapshot of the query that is planned under the tracker. Each query has a tracker of its own, under which its
    * subqueries are planned too.
    */
  def planned(tracker: QueryPlanningTracker): QuerySnapshot = queries.synchronized {
    known(tracker).getOrElse {
      val query = QuerySnapshot.fresh()
      queries.put(tracker, new WeakReference(query))
      query
    }
  }

  /** Whether this is the query that is planned under the tracker. */
  def isOf(tracker: QueryPlanningTracker, query: QuerySnapshot): Boolean =
    queries.synchronized(known(tracker).exists(_ eq query))

  private def known(tracker: QueryPlanningTracker) = Option(queries.get(tracker)).flatMap(found => Option(found.get))

  /** A scan of the query is about to open the snapshot. */
  def hold(query: QuerySnapshot, snapshot: ReadSnapshot): Unit =
    if (snapshot.isLoose) {
      val number = query.number
      cleaner.register(query, () => tellEnd(number))
    } else if (snapshot.transaction.isEmpty) open.add(Execution(snapshot.key))

  /** The transactions that are running. */
  def transactions: Iterable[Transaction] = all[Transaction]

  /** False if its session is in one already. */
  def begin(transaction: Transaction): Boolean = synchronized {
    !transactions.exists(_.session == transaction.session) && open.add(transaction)
  }

  def end(token: String): Unit = ended[Transaction](_.token == token)

  override def onJobStart(start: SparkListenerJobStart): Unit = {
    val isWithin = Option(start.properties).exists(_.getProperty(SQLExecution.EXECUTION_ID_KEY) != null)
    open.add(Job(start.jobId, !isWithin))
  }

  override def onJobEnd(end: SparkListenerJobEnd): Unit = jobEnded(end.jobId)

  private def jobEnded(id: Int): Unit = {
    lastJobNanos = System.nanoTime
    ended[Job](_.id == id)
  }

  /** The ends of clients' sessions are told by events that name the client's session, not Spark's. So a transaction is
    * known by where it was begun: the statement of the Thrift server, which is the job group, or the operation of Spark
    * Connect, whose job tag names its session. The events are private to the servers, which are not in every Spark;
    * they are known by name.
    */
  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd => if (open.remove(Execution(end.executionId))) tellEnd(end.executionId)
    case e: Product                        =>
      def text(index: Int) = e.productElement(index).toString
      e.productPrefix match {
        case "SparkListenerThriftServerOperationStart"  => open.add(ClientStatement(text(0), text(1)))
        case "SparkListenerThriftServerOperationClosed" => closeStatements(_.group == text(0))
        case "SparkListenerThriftServerSessionClosed"   =>
          closeStatements(_.session == text(0))
          abandon(_.client.contains(text(0)))
        case "SparkListenerConnectSessionClosed" => abandon(_.tags.exists(_.contains(s"_Session_${text(0)}_")))
        case _                                   =>
      }
    case _ =>
  }

  private def closeStatements(isMeant: ClientStatement => Boolean): Unit =
    for (statement <- all[ClientStatement] if isMeant(statement)) {
      transactions.filter(_.group == statement.group).foreach(_.client = Some(statement.session))
      open.remove(statement)
    }

  /** Has Python undo what a client has left open. Nobody waits for the answer; what could not be undone times out. */
  private def abandon(isMeant: Transaction => Boolean): Unit = transactions.filter(isMeant).foreach { left =>
    PythonThreads.later { () =>
      try PythonSide.registered.foreach(api => PythonSide.text(api.abandon(left.token)))
      catch { case NonFatal(e) => logWarning(s"a transaction was not undone at the end of its session", e) }
    }
  }

  /** Called by Python: for how many milliseconds no job has run; 0 while one does. */
  def idleMs(): Long = if (jobs().isEmpty) (System.nanoTime - lastJobNanos) / 1000000 else 0

  /** Called by Python: whether a job outside of executions runs. */
  def runsLooseJobs(): Boolean = jobs().exists(_.isLoose)

  /** The jobs that Spark's own store, which has a queue of its own, does not know to have ended. */
  private def jobs(): Iterable[Job] = {
    for {
      tracker <- context.map(_.statusTracker).toSeq
      job <- all[Job]
      info <- tracker.getJobInfo(job.id) if info.status != JobExecutionStatus.RUNNING
    } jobEnded(job.id)
    all[Job]
  }

  /** Called by Python: those of these executions that cannot run any more, whether or not their ends were reported
    * here.
    */
  def endedOf(executions: String): String = {
    val over = Wire.read[Seq[Long]](executions).filter(SQLExecution.getQueryExecution(_) == null)
    over.foreach(id => open.remove(Execution(id)))
    Wire.write(over)
  }

  /** Nobody reads any more what was opened under this key. */
  private def tellEnd(key: Long): Unit = PythonSide.answering.foreach { api =>
    api.endExecution(key) match {
      // nobody waits for this answer; the transaction times out if it could not be ended
      case t: Throwable => logWarning(s"the read transaction of execution $key was not ended", t)
      case _            =>
    }
  }
}
