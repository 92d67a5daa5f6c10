package hiveacid

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkLine

/** What Python implements (through py4j). Every text is JSON; a method returns a String, or a Throwable to be thrown
  * here: raising through py4j would lose the error's type and text.
  */
trait Planner {

  /** Canonical statement and the target's partition columns to row-change query, which is SQL text. */
  def rewrite(request: String): Object

  /** A text in Hive's spelling as Spark's parser takes it, but for lists of columns, as JSON; null if it is none. */
  def respelling(text: String): Object

  /** The DEFAULT of the columns of `database.table` that have one, as a JSON object of expressions by column. */
  def columnDefaults(table: String): Object

  /** The statement behind EXPLAIN ACID as JSON, `text` and `formatted`; null if the text does not begin so. */
  def explainedStatement(text: String): Object

  /** A statement about transactions, locks or compactions as JSON; null if the text does not begin like one. */
  def operatorStatement(text: String): Object

  /** Runs such a statement: its rows, each a JSON array of the values of its columns. */
  def operate(request: String): Object

  /** Where the new transactional table `database.table` must lie, as a JSON text; null for where Spark would put it. */
  def newTableLocation(table: String): Object

  /** Names of a table's partitions, as a JSON array. */
  def partitionNames(request: String): Object

  /** The scan plan of one table in the snapshot of a statement or of a read execution. */
  def scan(request: String): Object

  /** Runs a statement in a transaction; `call` is the key for `Bridge.write`. Returns its result row. */
  def execute(request: String, call: String): Object

  /** What a statement would do, as JSON: `facts`, pairs of texts, and `json`, a text for programs. */
  def dryRun(request: String, call: String): Object

  /** Runs statements, a JSON array, in one transaction; `calls` has their keys. Returns one result row. */
  def executeTogether(requests: String, calls: String): Object

  /** Runs a statement of Spark's own under the locks it needs; `call` is the key for `Bridge.alter`. */
  def alter(request: String, call: String): Object

  /** A root execution has ended; its read transaction can end too. */
  def endExecution(executionId: Long): Object
}

/** The one place where Python and the JVM meet. */
object Bridge {
  private val CauseDepth = 20
  @volatile private var planner: Option[Planner] = None

  /** A running statement: what it does when Python calls back, and the thread state that its jobs inherit. */
  final private class Call(val session: SparkSession, val statement: Either[AcidWriteCommand, () => Unit]) {
    val thread: Thread = Thread.currentThread
    val properties: java.util.Properties = SparkLine.localProperties(session.sparkContext)

    def command: AcidWriteCommand = statement.left.getOrElse(throw new IllegalStateException("it writes no rows"))
  }
  private val calls = new ConcurrentHashMap[String, Call]
  private val counter = new AtomicLong

  /** Called by Python once a session is there. */
  def register(session: SparkSession, p: Planner): Unit = {
    planner = Option(p)
    session.sparkContext.removeSparkListener(ReadListener)
    session.sparkContext.addSparkListener(ReadListener)
  }

  /** Called by Python when its side ends; every transactional table is refused from then on. */
  def unregister(): Unit = planner = None

  /** The registered planner; refuses by name if this session was not set up by `hive_acid.configure`. */
  def plannerFor(table: String): Planner =
    planner.getOrElse(throw AcidException("HIVE_ACID_NO_PLANNER", Map("table" -> table)))

  def registered: Option[Planner] = planner

  /** The text Python answered with, or its error thrown. */
  def text(answer: Object): String = answer match {
    // a named error of a task comes wrapped in Spark's "failed to read file" or "job aborted"
    case t: Throwable => throw named(t).getOrElse(t)
    case s: String    => s
    case other        => throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"Python answered $other"))
  }

  private def named(t: Throwable): Option[AcidException] =
    Iterator.iterate(t)(_.getCause).takeWhile(_ != null).take(CauseDepth).collectFirst { case a: AcidException => a }

  /** Runs a statement in Python, which calls `write` back with the key it is given. */
  def execute(session: SparkSession, command: AcidWriteCommand): String =
    withCalls(session, Seq(Left(command))) { keys =>
      plannerFor(AcidTables.name(command.target)).execute(command.request(session).toString, keys.head)
    }

  /** Asks Python what the statement would do. */
  def dryRun(session: SparkSession, command: AcidWriteCommand): String =
    withCalls(session, Seq(Left(command))) { keys =>
      plannerFor(AcidTables.name(command.target)).dryRun(command.request(session).toString, keys.head)
    }

  /** Has Python run a statement that it has parsed, and so is there. */
  def operate(request: String): String = text(plannerFor("(none)").operate(request))

  /** The same for statements that are one transaction. */
  def executeTogether(session: SparkSession, commands: Seq[AcidWriteCommand]): String =
    withCalls(session, commands.map(Left(_))) { keys =>
      val json = new ObjectMapper
      val (requests, calls) = (json.createArrayNode(), json.createArrayNode())
      commands.foreach(c => requests.add(c.request(session)))
      keys.foreach(key => calls.add(key))
      plannerFor(AcidTables.name(commands.head.target)).executeTogether(requests.toString, calls.toString)
    }

  /** Has Python lock what the statement needs and call back, by `alter`, what it does. */
  def alter(session: SparkSession, command: AcidDdlCommand)(statement: () => Unit): Unit =
    withCalls(session, Seq(Right(statement))) { keys =>
      plannerFor(AcidTables.name(command.tables.head)).alter(command.request(session).toString, keys.head)
    }

  private def withCalls(session: SparkSession, statements: Seq[Either[AcidWriteCommand, () => Unit]])(
      run: Seq[String] => Object
  ): String = {
    val keys = statements.map { statement =>
      val key = s"call-${counter.incrementAndGet()}"
      calls.put(key, new Call(session, statement))
      key
    }
    try text(run(keys))
    finally keys.foreach(calls.remove)
  }

  /** Called by Python: writes the row changes of a running statement, its scans bound to the snapshot `token`. */
  def write(key: String, token: String, spec: String): String = inCall(key) { call =>
    val command = call.command
    val writesBack = Seq(orc.UpdateKind.name, orc.MixedKind.name).contains(command.writes)
    val keepsValues = writesBack && command.kind != "replace" // an INSERT writes what it reads
    val updated = if (keepsValues) Some(AcidTables.name(command.target)) else None
    orc.WriteJob.run(call.session, AcidFileIndex.bind(command.changes, token, updated), spec)
  }

  /** Called by Python: how many rows the target of a running statement has in the snapshot `token`; in `partitions`, a
    * JSON array of their names, or in all of it if that is null.
    */
  def countRows(key: String, token: String, partitions: String): Long = inCall(key) { call =>
    val names = Option(partitions).map(new ObjectMapper().readValue(_, classOf[Array[String]]).toSet)
    val rows = AcidFileIndex.bind(AcidTables.relation(call.session, call.command.target, Nil), token)
    SparkLine.frame(call.session, names.fold(rows)(AcidFileIndex.restrict(rows, _))).count()
  }

  /** Called by Python: writes bases without rows for a running statement; `partitions` is a JSON array. */
  def writeEmpty(key: String, partitions: String, spec: String): String = inCall(key) { call =>
    val names = new ObjectMapper().readValue(partitions, classOf[Array[String]])
    orc.WriteJob.runEmpty(call.session, names.toSeq, spec)
  }

  /** Called by Python: the partitions that a running statement can touch, as a JSON array; null if it cannot be told.
    */
  def findPartitions(key: String, token: String): String = inCall(key) { call =>
    val changes = AcidFileIndex.bind(call.command.changes, token)
    val found = TouchedPartitions.find(call.session, call.command, changes)
    new ObjectMapper().writeValueAsString(found.map(_.toArray).orNull)
  }

  /** Called by Python: of these names of the target's partitions, a JSON array, the first that is not what Hive would
    * name a partition of its values, and what it would, as a JSON array; null if there is none.
    */
  def findMisspelled(key: String, names: String): String = inCall(key) { call =>
    val asked = new ObjectMapper().readValue(names, classOf[Array[String]])
    val found = PartitionValues(call.session, call.command.target).findMisspelled(asked)
    new ObjectMapper().writeValueAsString(found.map { case (name, wanted) => Array(name, wanted) }.orNull)
  }

  /** Called by Python once the locks are there: runs the statement of Spark's own. */
  def alter(key: String): Unit = inCall(key)(_.statement.foreach(run => run()))

  /** The session's own settings of ours, for a request. */
  def putSettings(request: ObjectNode, session: SparkSession): Unit = {
    val settings = request.putObject("settings")
    session.sessionState.conf.getAllConfs.foreach { case (key, value) =>
      if (key.toLowerCase(java.util.Locale.ROOT).startsWith("spark.hiveacid.")) settings.put(key, value)
    }
  }

  /** With PYSPARK_PIN_THREAD=false Python's calls come on another thread, without job group, tags and session. */
  private def inCall[T](key: String)(body: Call => T): T = {
    val call = calls.get(key)
    if (call.thread ne Thread.currentThread) {
      SparkLine.setLocalProperties(call.session.sparkContext, call.properties)
      org.apache.spark.sql.SparkSession.setActiveSession(call.session)
    }
    body(call)
  }
}
