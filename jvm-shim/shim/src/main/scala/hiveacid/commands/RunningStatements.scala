package hiveacid.commands

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import com.fasterxml.jackson.module.scala.JavaTypeable
import hiveacid.errors.AcidException
import hiveacid.python.{PythonSide, PythonThreads, SidecarApi}
import hiveacid.scan.SessionTransactions
import hiveacid.values.AcidTable
import hiveacid.wire.{AddedColumns, CreatedTable, DryRunAnswer, Statement, StatementAnswer, Wire}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** The statements that Python runs: it is handed a key for each, and calls back under it. */
object RunningStatements {

  /** A running statement: what it does when Python calls back, and the thread state that its jobs inherit. */
  final class Call private[RunningStatements] (
      val session: SparkSession,
      val statement: Either[AcidWriteCommand, () => Unit],
      val written: WrittenFiles
  ) {
    val thread: Thread = Thread.currentThread
    val properties: java.util.Properties = SparkAccess.localProperties(session.sparkContext)

    /** False once the source of a MERGE has shown other rows when it was read again. */
    @volatile var canPrune: Boolean = true

    /** False as long as nothing has been handed to Python that a commit could make visible, or changed otherwise. */
    @volatile var mayHaveChanged: Boolean = false

    /** The run of a statement of Spark's own. */
    val ownRun = new OneRun
    private val prunings = new ConcurrentHashMap[String, Option[SourcePruning]]

    /** The row-change query without the partitions that cannot matter in the snapshot `token`.
      *
      * @param bound
      *   the query, bound to that snapshot
      */
    def pruned(token: String, bound: LogicalPlan): LogicalPlan =
      // a transaction of several statements cannot begin anew with one of them
      if (!canPrune || SessionTransactions.of(session).isDefined) bound
      else prunings.computeIfAbsent(token, _ => SourcePruning.find(session, command, bound)).fold(bound)(_.prune(bound))

    def command: AcidWriteCommand = statement.left.getOrElse(throw new IllegalStateException("it writes no rows"))
  }

  private val calls = new ConcurrentHashMap[String, Call]
  private val counter = new AtomicLong

  /** Runs a statement in Python, which calls `write` back with the key it is given. */
  def execute(session: SparkSession, command: AcidWriteCommand, written: WrittenFiles): StatementAnswer =
    withWrites[StatementAnswer](session, Seq(command -> written)) { (keys, requests) =>
      api(session, command).execute(Wire.write(requests.head), keys.head)
    }

  /** Asks Python what the statement would do. */
  def dryRun(session: SparkSession, command: AcidWriteCommand): DryRunAnswer =
    withWrites[DryRunAnswer](session, Seq(command -> new WrittenFiles)) { (keys, requests) =>
      api(session, command).dryRun(Wire.write(requests.head), keys.head)
    }

  /** The same for statements that are one transaction. */
  def executeTogether(session: SparkSession, commands: Seq[(AcidWriteCommand, WrittenFiles)]): StatementAnswer =
    withWrites[StatementAnswer](session, commands) { (keys, requests) =>
      api(session, commands.head._1).executeTogether(Wire.write(requests), Wire.write(keys))
    }

  /** Has Python lock what the statement needs and call back, by `alter`, what it does. */
  def alter(session: SparkSession, command: AcidDdlCommand)(statement: () => Unit): Unit =
    withCalls(session, Seq(Right(statement) -> new WrittenFiles)) { keys =>
      val api = PythonSide.apiFor(session, command.tables.head)
      api.alter(Wire.write(command.request(session)), keys.head)
    }

  /** Has Python lock the table of such a statement and call back, by `alter`, what adds columns for another statement;
    * what `takeColumnsBack` needs.
    */
  def addColumns(session: SparkSession, command: AcidDdlCommand)(addition: () => Unit): AddedColumns =
    Wire.read[AddedColumns](withCalls(session, Seq(Right(addition) -> new WrittenFiles)) { keys =>
      val api = PythonSide.apiFor(session, command.tables.head)
      api.addColumns(Wire.write(command.request(session)), keys.head)
    })

  /** The same for what removes them, because the statement has failed; throws if they stay. */
  def takeColumnsBack(session: SparkSession, table: CatalogTable, added: AddedColumns, failure: Throwable)(
      removal: () => Unit
  ): Unit =
    withCalls(session, Seq(Right(removal) -> new WrittenFiles)) { keys =>
      val request = added.copy(failure = String.valueOf(failure.getMessage))
      PythonSide.apiFor(session, table).takeColumnsBack(Wire.write(request), keys.head)
    }

  /** The identity of a table that has just been made, by which `takeBack` knows it. */
  def createdTable(session: SparkSession, table: CatalogTable): String =
    PythonSide.message[String](PythonSide.apiFor(session, table).createdTable(AcidTable.name(table)))

  /** Has Python lock the table that a failed statement has made, and call back, by `alter`, what drops it; throws if it
    * stays.
    */
  def takeBack(session: SparkSession, table: CatalogTable, identity: String, failure: Throwable)(
      drop: () => Unit
  ): Unit =
    withCalls(session, Seq(Right(drop) -> new WrittenFiles), unchanged = "TABLE_CREATED") { keys =>
      val reason = String.valueOf(failure.getMessage)
      val request = CreatedTable(AcidTable.name(table), identity, reason, PythonSide.settings(session))
      PythonSide.apiFor(session, table).takeBack(Wire.write(request), keys.head)
    }

  private def withWrites[T: JavaTypeable](session: SparkSession, commands: Seq[(AcidWriteCommand, WrittenFiles)])(
      run: (Seq[String], Seq[Statement]) => Object
  ): T = {
    commands.foreach { case (command, _) => new BareTarget(session, command).check() }
    val cached = commands.map { case (command, _) => StatementCaches.use(session, command) }
    if (cached.length > 1) CommonSource.refuseChanging(cached)
    val requests = cached.map(_.request(session))
    val fixed = StatementTime.fix(cached).zip(commands.map(_._2))
    val calls = fixed.map { case (command, written) => Left(command) -> written }
    Wire.read[T](withCalls(session, calls)(run(_, requests)))
  }

  /** @param unchanged
    *   the outcome if Python ends before it has called back
    */
  private def withCalls(
      session: SparkSession,
      statements: Seq[(Either[AcidWriteCommand, () => Unit], WrittenFiles)],
      unchanged: String = "NOT_COMMITTED"
  )(run: Seq[String] => Object): String =
    PythonThreads.ask(session) { // Python calls back on the thread that has called it
      val begun = statements.map { case (statement, written) =>
        s"call-${counter.incrementAndGet()}" -> new Call(session, statement, written)
      }
      begun.foreach { case (key, call) => calls.put(key, call) }
      try PythonSide.text(run(begun.map(_._1)))
      catch {
        case ended: AcidException if ended.condition == SidecarApi.Ended && !begun.exists(_._2.mayHaveChanged) =>
          throw AcidException.told(ended, AcidException.outcome(unchanged))
      } finally begun.foreach { case (key, _) => calls.remove(key) }
    }

  private def api(session: SparkSession, command: AcidWriteCommand) =
    PythonSide.apiFor(session, command.target)

  /** The statement of this key, unless Python has ended it, or has lost its connection. */
  def find(key: String): Option[Call] = Option(calls.get(key))

  /** The callbacks of Python. With PYSPARK_PIN_THREAD=false Python's calls come on another thread, without job group,
    * tags and session.
    */
  def inCall[T](key: String)(body: Call => T): T = {
    val call = calls.get(key)
    if (call.thread ne Thread.currentThread) {
      SparkAccess.setLocalProperties(call.session.sparkContext, call.properties)
      org.apache.spark.sql.SparkSession.setActiveSession(call.session)
    }
    body(call)
  }
}
