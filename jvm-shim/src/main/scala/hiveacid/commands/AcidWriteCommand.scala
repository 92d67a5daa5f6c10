package hiveacid.commands

import hiveacid.values.AcidTable
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import hiveacid.python.PythonSide
import hiveacid.scan.{AcidFileIndex, AnalysedTable, SessionTransactions}

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisOnlyCommand, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.RunnableCommand
import org.apache.spark.sql.types.LongType

/** A statement that changes a transactional table.
  *
  * @param kind
  *   `insert`, `overwrite`, `truncate`, `replace`, `update`, `delete` or `merge`
  * @param changes
  *   the row-change query; analysed with the statement, but planned anew by each attempt to run it. Without columns in
  *   a TRUNCATE
  * @param writes
  *   see [[RowChangeQuery]]; so is `stays`
  * @param overwrite
  *   what an overwrite or TRUNCATE replaces
  */
case class AcidWriteCommand(
    kind: String,
    target: CatalogTable,
    changes: LogicalPlan,
    writes: String,
    stays: Boolean,
    overwrite: Option[Overwrite] = None,
    isAnalyzed: Boolean = false
) extends RunnableCommand
    with AnalysisOnlyCommand {
  override val output: Seq[Attribute] = counts.map(AttributeReference(_, LongType)())
  override def childrenToAnalyze: Seq[LogicalPlan] = Seq(changes)
  override def nodeName: String = s"HiveAcid ${kind.toUpperCase}"
  override def simpleString(maxFields: Int): String = s"$nodeName ${AcidTable.name(target)}"

  override def markAsAnalyzed(context: AnalysisContext): LogicalPlan = copy(isAnalyzed = true)
  override protected def withNewChildrenInternal(children: IndexedSeq[LogicalPlan]): LogicalPlan =
    copy(changes = children.head)

  /** The columns of the result, in the names of Delta. */
  private def counts: Seq[String] = kind match {
    case "truncate" => Nil // nobody reads the rows that it removes
    case "merge"    => Seq("num_affected_rows", "num_updated_rows", "num_deleted_rows", "num_inserted_rows")
    case "replace"  => Seq("num_affected_rows", "num_deleted_rows", "num_inserted_rows")
    case _          => Seq("num_affected_rows")
  }

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val result = new ObjectMapper().readTree(RunningStatements.execute(session, this))
    // what a transaction of several statements has written is refreshed when it is committed
    if (SessionTransactions.of(session).isEmpty) SessionTransactions.refreshCaches(session, Array(table))
    if (counts.isEmpty) Nil else Seq(Row.fromSeq(counts.map(result.get(_).asLong)))
  }

  private def table: String = AcidTable.name(target)

  /** What Python is asked to do. */
  def request(session: SparkSession): ObjectNode = {
    val request = new ObjectMapper().createObjectNode().put("kind", kind).put("table", table).put("writes", writes)
    request.put("timeZone", session.sessionState.conf.sessionLocalTimeZone)
    request.put("parallelism", session.sparkContext.defaultParallelism)
    AcidFileIndex.rootExecution(session).foreach(request.put("executionId", _))
    SessionTransactions.of(session).foreach(request.put("transaction", _))
    val analysed = request.putArray("analysed").add(AnalysedTable.describe(target))
    AnalysedTable.read(changes).foreach(t => analysed.add(t))
    val sources = request.putArray("sources")
    AcidFileIndex.tables(changes).foreach(sources.add)
    overwrite.foreach(o => request.set[JsonNode]("overwrite", o.json))
    StatementText.of(this).foreach(t => request.set[JsonNode]("text", t))
    PythonSide.putSettings(request, session)
    request
  }
}
