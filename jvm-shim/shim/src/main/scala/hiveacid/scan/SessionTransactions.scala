package hiveacid.scan

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import hiveacid.errors.{AcidException, QuietPaths, Refusal}
import hiveacid.scan.SnapshotHolders.Transaction
import hiveacid.values.AcidTable
import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{SparkLineSessions, SparkAccess}

/** The sessions that are in a transaction of several statements. Their scans read its snapshot, by its token.
  *
  * A session is known by the job tag that Spark puts on all it runs: the session that made a plan may be another one,
  * for caches are shared.
  */
object SessionTransactions extends Logging {

  /** Called by Python, too. False if the session is in a transaction already. */
  def begin(session: SparkSession, token: String): Boolean = {
    val context = session.sparkContext
    val (group, tags) = (context.getLocalProperty("spark.jobGroup.id"), context.getJobTags())
    SnapshotHolders.begin(new Transaction(token, SparkLineSessions.tag(session), group, tags))
  }

  /** Called by Python when it has ended, in whatever way. */
  def end(token: String): Unit = SnapshotHolders.end(token)

  private def inOne(session: SparkSession): Option[Transaction] = {
    val tag = SparkLineSessions.tag(session)
    SnapshotHolders.transactions.find(_.session == tag)
  }

  private def known(token: String): Option[Transaction] = SnapshotHolders.transactions.find(_.token == token)

  /** Runs what may end the session's transaction: then caches with tables that were written in it are refreshed. */
  def ending[T](session: SparkSession)(statement: => T): T = {
    val running = inOne(session)
    try statement
    finally running.filterNot(t => isRunning(t.token)).foreach(_.tables.asScala.foreach(recache(session, _)))
  }

  /** Refuses a write that seems to be part of the transaction that this thread is in, but is of a session outside of
    * it: that of a DataFrame, whose session is not to be seen where it is written, and any in a batch of a stream,
    * which runs in a clone of the session.
    *
    * @param isText
    *   whether the statement is a SQL text, for which its user has chosen the session
    */
  def refuseOutside(session: SparkSession, isText: Boolean, operation: => String, table: => String): Unit =
    if (
      of(session).isEmpty && SnapshotHolders.transactions.exists(_.thread eq Thread.currentThread) &&
      (!isText || isInBatch(session.sparkContext))
    )
      throw AcidException.unsupported(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_SESSION"))

  /** True in the function of a stream's batch. */
  def isInBatch(context: SparkContext): Boolean = context.getLocalProperty(StreamQuery) != null

  /** Spark's own name of a stream's property (StreamExecution.QUERY_ID_KEY). */
  val StreamQuery = "sql.streaming.queryId"

  /** The token of the session's transaction. */
  def of(session: SparkSession): Option[String] = inOne(session).map(_.token)

  /** Refuses what a transaction of several statements cannot hold, if the session is in one. */
  def refuse(session: SparkSession, operation: => String, table: => String): Unit =
    if (of(session).isDefined) throw refusal(operation, table)

  /** The error of something that a transaction of several statements cannot hold. */
  def refusal(operation: String, table: String): AcidException =
    AcidException.unsupported(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION"))

  /** Refuses a plan that reads or fills a cache, if the session is in one. */
  def refuseCaches(session: SparkSession, plan: LogicalPlan): Unit =
    if (of(session).isDefined) BoundQueryExec.ofCaches(plan).headOption.foreach(c => throw cacheRefusal(c.table))

  /** The error of a cache, which is shared by all sessions and is of no snapshot, in a transaction. */
  def cacheRefusal(table: String): AcidException = refusal("Reading or filling a cache", table)

  /** True until the transaction has ended. */
  def isRunning(token: String): Boolean = known(token).isDefined

  /** How many statements of the transaction have written and ended. */
  def writes(token: String): Int = known(token).fold(0)(_.writes.get)

  /** The token of the transaction in whose session this thread runs something. */
  def running(context: SparkContext): Option[String] = {
    val all = SnapshotHolders.transactions
    if (all.isEmpty) None
    else {
      val tags = SparkLineSessions.runningTags(context)
      all.find(t => tags.contains(t.session)).map(_.token)
    }
  }

  /** Called by Python: caches with one of these tables (`database.table`) of the session's own catalog in them hold the
    * rows of before.
    */
  def refreshCaches(session: SparkSession, tables: Array[String]): Unit = tables.foreach { table =>
    val Array(database, name) = table.split("\\.", 2)
    recache(session, TableIdentifier(name, Some(database)))
  }

  /** Runs a statement that writes to these tables. Caches are refreshed also after an error, unless it has certainly
    * committed nothing. A transaction of several statements refreshes what it has written when it is committed.
    */
  def refreshing[T](session: SparkSession, tables: Seq[CatalogTable])(statement: => T): T = {
    val transaction = inOne(session)
    def refresh(): Unit =
      if (!transaction.exists(t => isRunning(t.token))) keys(tables).foreach(recache(session, _))
    val result =
      try statement
      catch { case e: Throwable if mayBeCommitted(e) => refreshAfter(e, () => refresh()) }
      finally
        transaction.foreach { t =>
          t.writes.incrementAndGet()
          keys(tables).foreach(t.tables.add)
        }
    refresh()
    result
  }

  private def keys(tables: Seq[CatalogTable]) = tables.map(AcidTable.key).distinct

  private def refreshAfter(error: Throwable, refresh: () => Unit): Nothing = {
    try refresh()
    catch { case e: Throwable => error.addSuppressed(e) } // an interrupt, for example
    throw error
  }

  private def mayBeCommitted(error: Throwable) = error match {
    case e: AcidException => e.mayBeCommitted
    case _                => true
  }

  /** The statement is committed, so what goes wrong here is no error of it; Spark has dropped the cache by then. */
  private def recache(session: SparkSession, key: TableIdentifier): Unit = {
    def isTable(part: LogicalPlan) = part match {
      case l: LogicalRelation => l.catalogTable.exists(AcidTable.key(_) == key)
      case _                  => false
    }
    try SparkAccess.recache(session, isTable)
    catch { case NonFatal(e) => logWarning(s"a cache of ${key.unquotedString} was dropped", QuietPaths.cause(e)) }
  }
}
