package hiveacid.scan

import java.util.concurrent.atomic.AtomicLong

import hiveacid.errors.AcidException
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.{QueryPlanningTracker, TableIdentifier}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution

/** The snapshot that a scan reads: that of a transaction, or one of its own. Python decides what is in it.
  *
  * @param key
  *   the key of a snapshot of its own: the execution, or outside of any the query's number, which is negative
  * @param transaction
  *   the token of the transaction
  * @param writes
  *   how many statements of the transaction had written
  */
final case class ReadSnapshot(key: Long, transaction: Option[String], writes: Int = 0) {

  /** True outside of executions and transactions, where nobody reports that the snapshot is not needed any more. */
  def isLoose: Boolean = transaction.isEmpty && key < 0
}

object ReadSnapshot {

  /** That of a statement, which needs no key. */
  def ofStatement(token: String): ReadSnapshot = ReadSnapshot(QuerySnapshot.fresh().number, Some(token))
}

/** Decides which snapshot a query has. The first of its scans chooses; the others follow or are refused.
  *
  * A query is what Spark plans under one tracker, views, subqueries and dynamic pruning included. `BindQueries` gives
  * this object to its scans and to its root, which asks it at each execution. A snapshot is opened when a scan lists
  * its files, so that EXPLAIN opens none. Spark lists them when a stage is planned, and adaptive plans have later
  * stages. Meanwhile another thread of the session may begin or end a transaction, or write in it. Spark also keeps
  * each list, with what has been computed of it, for the next execution of the same DataFrame.
  *
  *   - In a session's transaction (`SessionTransactions`) it is that one's, whatever executes the query. Other
  *     catalogs, whose metastores know nothing of it, caches and RDDs are refused there.
  *   - In an execution its key is the root execution. So all queries of an execution share one in each metastore.
  *   - In a batch of a stream it is that of the batch's own plan; queries of `foreachBatch` have theirs.
  *   - Outside of executions, as for `df.rdd`, it is this query's own. The plan refers to this object, and so does each
  *     file that is to be read, and with them every RDD that reads them: it is needed for as long as this object can be
  *     reached, of which only the number goes to executors.
  *   - The rows of a cache are of the execution that fills it, whoever reads them later.
  *   - The scans of a statement that writes are bound to its token before (`AcidFileIndex.bind`), and are not asked.
  *
  * `SnapshotHolders` knows all of them and hears when they end.
  */
final class QuerySnapshot private (val number: Long) extends Serializable {
  import QuerySnapshot._

  @transient private var chosen: Option[ReadSnapshot] = None
  @transient private var isListed = false
  @transient private var fillsCache = false
  @transient @volatile private var met = Set.empty[TableIdentifier]

  /** The transactional tables of a catalog that are read anywhere in the query, as far as the optimizer has met them:
    * all of them are locked before the snapshot is taken.
    *
    * @param foreignCatalog
    *   the catalog's name, if it has a metastore of its own
    */
  def tablesOf(foreignCatalog: Option[String]): Set[String] =
    met.filter(_.catalog == foreignCatalog).map(_.copy(catalog = None).unquotedString)
  def meet(tables: Iterable[TableIdentifier]): Unit = synchronized(met ++= tables)

  /** Its rows fill a cache, which is of no transaction. */
  def fillCache(): Unit = synchronized { fillsCache = true }
  def isOfCache: Boolean = synchronized(fillsCache)

  /** The snapshot for a scan that is about to list its files, held from now on. */
  def ofScan(session: SparkSession, table: CatalogTable): ReadSnapshot = {
    val name = AcidTable.name(table)
    val snapshot = ofScan(name, here(session))
    if (snapshot.transaction.isDefined && AcidTable.foreignCatalog(table).isDefined)
      throw SessionTransactions.refusal("Reading a table of another catalog", name)
    // an RDD's scans carry no sign of whose they are, and would read another snapshot than the transaction's
    if (snapshot.isLoose) SessionTransactions.refuse(session, "Reading as an RDD", name)
    SnapshotHolders.hold(this, snapshot)
    snapshot
  }

  private[scan] def ofScan(table: String, here: ReadSnapshot): ReadSnapshot = synchronized {
    val snapshot = chosen match {
      case Some(c) if c.key == here.key => c
      case Some(c) if isListed => throw refusal(table, if (c.transaction == here.transaction) Listed else Elsewhere)
      case _                   => choose(table, here)
    }
    ensureRunning(table)
    if (snapshot.transaction.exists(SessionTransactions.writes(_) != snapshot.writes)) throw refusal(table, Written)
    snapshot
  }

  /** A scan has listed its files in the snapshot, so that no other one serves this query from now on. */
  def listed(): Unit = synchronized { isListed = true }

  /** Refuses to execute the query where its lists of files are of another transaction, or of none. */
  def ensureExecutable(session: SparkSession, table: String): Unit = ensureExecutable(table, here(session))

  private[scan] def ensureExecutable(table: String, here: ReadSnapshot): Unit = synchronized {
    chosen match {
      case Some(c) if c.key == here.key || isListed =>
        if (c.key != here.key && c.transaction != here.transaction) throw refusal(table, Elsewhere)
        ensureRunning(table)
      case _ => choose(table, here)
    }
  }

  /** Refuses rows of a transaction that has ended. */
  def ensureRunning(table: String): Unit = synchronized {
    if (chosen.flatMap(_.transaction).exists(!SessionTransactions.isRunning(_))) throw refusal(table, Ended)
  }

  private def choose(table: String, here: ReadSnapshot): ReadSnapshot = {
    if (fillsCache && here.transaction.isDefined) throw SessionTransactions.cacheRefusal(table)
    chosen = Some(here)
    here
  }

  /** The snapshot of the query if it is executed on this thread now, for the first time. */
  private def here(session: SparkSession): ReadSnapshot = {
    val context = session.sparkContext
    def execution(key: String) = Option(context.getLocalProperty(key)).map(_.toLong)
    val root = execution(SQLExecution.EXECUTION_ROOT_ID_KEY)
    // a batch is the root of all that its function runs: of queries that are executions below it, and of RDDs
    val found =
      if (!SessionTransactions.isInBatch(context)) root
      else execution(SQLExecution.EXECUTION_ID_KEY).filter(own => !root.contains(own) || isPlannedFor(own))
    val running = SessionTransactions.running(context)
    ReadSnapshot(found.getOrElse(number), running, running.fold(0)(SessionTransactions.writes))
  }

  /** A cache is filled by the plan that reads it. */
  private def isPlannedFor(execution: Long) =
    isOfCache || Option(SQLExecution.getQueryExecution(execution)).exists(e => SnapshotHolders.isOf(e.tracker, this))

  override def equals(other: Any): Boolean = other match {
    case q: QuerySnapshot => q.number == number
    case _                => false
  }
  override def hashCode(): Int = number.hashCode
}

object QuerySnapshot {
  private val counter = new AtomicLong

  /** That of a query of its own. */
  def fresh(): QuerySnapshot = new QuerySnapshot(-counter.incrementAndGet())

  /** That of the query which this thread is planning; None where Spark does not track it. */
  def planned: Option[QuerySnapshot] = QueryPlanningTracker.get.map(SnapshotHolders.planned)

  private val Elsewhere =
    "the DataFrame was executed before, in another transaction or outside of one; make it again"
  private val Listed =
    "another execution has listed other tables for it before; make the DataFrame, or the cache that it fills, again"
  private val Ended = "the transaction in which it was executed has ended; make the DataFrame again"
  private val Written = "another statement of its transaction has written while the query was running"

  private def refusal(table: String, reason: String) =
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> table, "reason" -> reason))
}
