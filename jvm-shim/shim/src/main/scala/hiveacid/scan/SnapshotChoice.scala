package hiveacid.scan

import hiveacid.errors.AcidException

/** The snapshot that a query reads: that of a transaction of several statements, or one of its own.
  *
  * @param key
  *   the key of the snapshot of its own: the execution, or outside of any the query's number
  * @param transaction
  *   the token of the transaction
  * @param writes
  *   how many statements of the transaction had written
  */
final case class ReadSnapshot(key: Long, transaction: Option[String], writes: Int)

/** The snapshot that all scans of one query read. The first one decides.
  *
  * Spark lists the files of a scan when its stage is planned, and adaptive plans have later stages. Meanwhile another
  * thread of the session may begin or end a transaction, or write in it. Spark also keeps each list of files, with what
  * has been computed of it, for the next execution of the same DataFrame.
  */
final class SnapshotChoice {
  private var chosen: Option[ReadSnapshot] = None
  private var isListed = false
  private var fillsCache = false

  /** Its rows fill a cache, which is of no transaction. */
  def fillCache(): Unit = synchronized { fillsCache = true }
  def isOfCache: Boolean = synchronized(fillsCache)

  /** The snapshot for a scan that is about to list its files.
    *
    * @param key
    *   of the execution, or of the query outside of any
    * @param running
    *   the token of the transaction in whose session it is executed
    */
  def ofScan(table: String, key: Long, running: Option[String]): ReadSnapshot = synchronized {
    val snapshot = chosen match {
      case Some(c) if c.key == key => c
      case Some(c) if isListed     => throw refusal(table, if (c.transaction == running) Listed else Elsewhere)
      case _                       => choose(table, key, running)
    }
    ensureUnchanged(table, snapshot)
    snapshot
  }

  /** A scan has listed its files in the snapshot, so that no other one serves this query from now on. */
  def listed(): Unit = synchronized { isListed = true }

  /** Refuses to execute the query where its lists of files are of another transaction, or of none. */
  def ensureExecutable(table: String, key: Long, running: Option[String]): Unit = synchronized {
    chosen match {
      case Some(c) if c.key == key || isListed =>
        if (c.key != key && c.transaction != running) throw refusal(table, Elsewhere)
        ensureRunning(table)
      case _ => choose(table, key, running)
    }
  }

  /** Refuses rows of a transaction that has ended. */
  def ensureRunning(table: String): Unit = synchronized {
    if (chosen.flatMap(_.transaction).exists(!SessionTransactions.isRunning(_))) throw refusal(table, Ended)
  }

  private def choose(table: String, key: Long, running: Option[String]): ReadSnapshot = {
    if (fillsCache && running.isDefined) throw SessionTransactions.refusal("Reading or filling a cache", table)
    val snapshot = ReadSnapshot(key, running, running.fold(0)(SessionTransactions.writes))
    chosen = Some(snapshot)
    snapshot
  }

  private def ensureUnchanged(table: String, snapshot: ReadSnapshot): Unit = {
    ensureRunning(table)
    if (snapshot.transaction.exists(SessionTransactions.writes(_) != snapshot.writes)) throw refusal(table, Written)
  }

  private def Elsewhere = "the DataFrame was executed before, in another transaction or outside of one; make it again"
  private def Listed =
    "another execution has listed other tables for it before; make the DataFrame, or the cache that it fills, again"
  private def Ended = "the transaction in which it was executed has ended; make the DataFrame again"
  private def Written = "another statement of its transaction has written while the query was running"

  private def refusal(table: String, reason: String) =
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> table, "reason" -> reason))
}
