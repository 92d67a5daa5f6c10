package hiveacid.scan

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import hiveacid.errors.{AcidException, QuietPaths, Refusal}
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
  private val tokens = new ConcurrentHashMap[String, String]

  /** The writes of a transaction: how many statements, and the tables of theirs. */
  final private class Writes {
    val statements = new AtomicInteger
    val tables: java.util.Set[TableIdentifier] = ConcurrentHashMap.newKeySet[TableIdentifier]()
  }

  /** Writes by the token of the transaction. */
  private val written = new ConcurrentHashMap[String, Writes]

  /** The tokens of what this thread has begun. A thread of Python's is one of the JVM's (PYSPARK_PIN_THREAD). */
  private val begun = ThreadLocal.withInitial[Set[String]](() => Set.empty)

  /** Called by Python, too. False if the session is in a transaction already. */
  def begin(session: SparkSession, token: String): Boolean = {
    written.put(token, new Writes)
    val isFirst = tokens.putIfAbsent(SparkLineSessions.tag(session), token) == null
    if (isFirst) {
      begun.set(begun.get.filter(isRunning) + token)
      SessionEnds.begun(session.sparkContext, token)
    } else written.remove(token)
    isFirst
  }

  /** Called by Python when it has ended, in whatever way. */
  def end(token: String): Unit = {
    tokens.values.remove(token)
    written.remove(token)
    SessionEnds.ended(token)
    begun.set(begun.get.filter(isRunning))
  }

  /** Runs what may end the session's transaction: then caches with tables that were written in it are refreshed. */
  def ending[T](session: SparkSession)(statement: => T): T = {
    val running = of(session).flatMap(token => Option(written.get(token)).map(token -> _))
    try statement
    finally
      running.filterNot { case (token, _) => isRunning(token) }.foreach { case (_, writes) =>
        writes.tables.asScala.foreach(recache(session, _))
      }
  }

  /** Refuses a write that seems to be part of the transaction that this thread is in, but is of a session outside of
    * it: that of a DataFrame, whose session is not to be seen where it is written, and any in a batch of a stream,
    * which runs in a clone of the session.
    *
    * @param isText
    *   whether the statement is a SQL text, for which its user has chosen the session
    */
  def refuseOutside(session: SparkSession, isText: Boolean, operation: => String, table: => String): Unit =
    if (of(session).isEmpty && begun.get.exists(isRunning) && (!isText || isInBatch(session.sparkContext)))
      throw AcidException.unsupported(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_SESSION"))

  /** True in the function of a stream's batch. */
  def isInBatch(context: SparkContext): Boolean = context.getLocalProperty(StreamQuery) != null

  /** Spark's own name of a stream's property (StreamExecution.QUERY_ID_KEY). */
  val StreamQuery = "sql.streaming.queryId"

  /** The token of the session's transaction. */
  def of(session: SparkSession): Option[String] = Option(tokens.get(SparkLineSessions.tag(session)))

  /** Refuses what a transaction of several statements cannot hold, if the session is in one. */
  def refuse(session: SparkSession, operation: => String, table: => String): Unit =
    if (of(session).isDefined) throw refusal(operation, table)

  /** The error of something that a transaction of several statements cannot hold. */
  def refusal(operation: String, table: String): AcidException =
    AcidException.unsupported(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION"))

  /** True until the transaction has ended. */
  def isRunning(token: String): Boolean = tokens.containsValue(token)

  /** How many statements of the transaction have written and ended. */
  def writes(token: String): Int = Option(written.get(token)).fold(0)(_.statements.get)

  /** The token of the transaction in whose session this thread runs something. */
  def running(context: SparkContext): Option[String] =
    if (tokens.isEmpty) None
    else SparkLineSessions.runningTags(context).flatMap(tag => Option(tokens.get(tag))).headOption

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
    val transaction = of(session)
    def refresh(): Unit = if (!transaction.exists(isRunning)) refreshCaches(session, tables)
    val result =
      try statement
      catch { case e: Throwable if mayBeCommitted(e) => refreshAfter(e, () => refresh()) }
      finally transaction.flatMap(token => Option(written.get(token))).foreach(note(_, tables))
    refresh()
    result
  }

  private def note(writes: Writes, tables: Seq[CatalogTable]): Unit = {
    writes.statements.incrementAndGet()
    tables.map(AcidTable.key).foreach(writes.tables.add)
  }

  private def refreshAfter(error: Throwable, refresh: () => Unit): Nothing = {
    try refresh()
    catch { case e: Throwable => error.addSuppressed(e) } // an interrupt, for example
    throw error
  }

  private def mayBeCommitted(error: Throwable) = error match {
    case e: AcidException => e.mayBeCommitted
    case _                => true
  }

  /** For tables of any catalogs. */
  private def refreshCaches(session: SparkSession, tables: Seq[CatalogTable]): Unit =
    tables.map(AcidTable.key).distinct.foreach(recache(session, _))

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
