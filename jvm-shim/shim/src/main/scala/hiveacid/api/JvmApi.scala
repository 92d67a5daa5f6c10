package hiveacid.api

import hiveacid.commands.{BareTarget, PartitionsToLock, RunningStatements}
import hiveacid.expressions.SourceChangedException
import hiveacid.python.{PythonApi, PythonSide, TokenClient}
import hiveacid.scan.{AcidFileIndex, AcidRelation, BareCount, SnapshotHolders}
import hiveacid.values.PartitionValues
import hiveacid.wire.{Wire, WriteResult, WriteSpec}
import hiveacid.write.WriteJob
import py4j.GatewayServer

import org.apache.spark.sql.classic.SparkSession

/** The methods that Python calls. Texts are messages of `hiveacid.wire`, but for keys and tokens. */
object JvmApi {

  /** Before Python listens, or asks for the token: `server` is its gateway, as py4j calls the side in this JVM. */
  def tellToken(server: GatewayServer, token: String): Unit = TokenClient.install(server, token)

  /** Once a session is there that the driver's own Python has set up. */
  def register(session: SparkSession, p: PythonApi): Unit = {
    PythonSide.connect(session.sparkContext, p)
    listen(session)
  }

  /** Once somebody answers for the session's application. */
  def listen(session: SparkSession): Unit = {
    val context = session.sparkContext
    context.removeSparkListener(SnapshotHolders)
    SnapshotHolders.reset(context)
    context.addSparkListener(SnapshotHolders)
  }

  /** The session's own settings of ours, by key. */
  def settings(session: SparkSession): String = Wire.write(PythonSide.settings(session))

  /** When Python's side ends; every transactional table is refused from then on. */
  def unregister(): Unit = PythonSide.disconnect()

  /** Writes the row changes of a running statement, its scans bound to the snapshot `token`. Null if its source had
    * other rows than before; the statement can be tried again then.
    */
  def write(key: String, token: String, spec: String): String = RunningStatements.inCall(key) { call =>
    val command = call.command
    val bound = AcidFileIndex.bind(command.changes, command.target, token, command.useOfValues)
    val changes = call.pruned(token, bound)
    val job = Wire.read[WriteSpec](spec)
    val target = new BareTarget(call.session, call.command)
    try reported(call, job, WriteJob.run(call.session, changes, job, target.check(_, _)))
    catch {
      case e: Throwable if call.canPrune && PythonSide.causes(e).exists(_.isInstanceOf[SourceChangedException]) =>
        call.canPrune = false
        null
    }
  }

  /** How many rows the target of a running statement has in the snapshot `token`; in `partitions`, their names, or in
    * all of it if that is null.
    */
  def countRows(key: String, token: String, partitions: String): Long = RunningStatements.inCall(key) { call =>
    val names = Wire.read[Option[Set[String]]](partitions)
    val target = call.command.target
    val rows = AcidFileIndex.bind(AcidRelation.relation(call.session, target, Nil), target, token)
    BareCount.of(call.session, names.fold(rows)(AcidFileIndex.restrict(rows, _)))
  }

  /** Writes bases without rows for a running statement; `partitions` are names. */
  def writeEmpty(key: String, partitions: String, spec: String): String = RunningStatements.inCall(key) { call =>
    val job = Wire.read[WriteSpec](spec)
    reported(call, job, WriteJob.runEmpty(call.session, Wire.read[Seq[String]](partitions), job))
  }

  private def reported(call: RunningStatements.Call, job: WriteSpec, report: WriteResult): String = {
    call.mayHaveChanged = true
    call.written.note(report, job.place.staging)
    Wire.write(report)
  }

  /** The partitions that a running statement can touch; null if it cannot be told. */
  def findPartitions(key: String, token: String): String = RunningStatements.inCall(key) { call =>
    val bound = AcidFileIndex.bind(call.command.changes, call.command.target, token)
    val changes = call.pruned(token, bound)
    Wire.write(PartitionsToLock.find(call.session, call.command, changes))
  }

  /** The first of these names of the target's partitions that is not Hive's, and the one that Hive gives its values;
    * null if there is none.
    */
  def findMisspelled(key: String, names: String): String = RunningStatements.inCall(key) { call =>
    val asked = Wire.read[IndexedSeq[String]](names)
    val zone = call.session.sessionState.conf.sessionLocalTimeZone
    Wire.write(PartitionValues(call.command.target, zone).findMisspelled(asked))
  }

  /** Once the locks are there: runs the statement of Spark's own. */
  def alter(key: String): Unit = RunningStatements.inCall(key) { call =>
    call.mayHaveChanged = true
    call.statement.foreach(call.ownRun.run)
  }

  /** Whether the statement of Spark's own still runs, for a Python that was interrupted while it waited for the end.
    * One that has not begun by then never does.
    */
  def stillAlters(key: String): Boolean = RunningStatements.find(key).exists(_.ownRun.isRunning)
}
