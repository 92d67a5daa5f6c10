package hiveacid.commands

import hiveacid.plugins.TableStatement
import hiveacid.formats.ValueUse
import hiveacid.values.{AcidTable, DeleteKind, InsertKind, RowWrites}
import hiveacid.python.PythonSide
import hiveacid.scan.{AcidFileIndex, AnalysedTables, ReadZones, SessionTransactions}
import hiveacid.wire.{Overwrite, RowCounts, Statement, StatementKind}

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisOnlyCommand, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.RunnableCommand
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

/** A statement that changes a transactional table.
  *
  * @param changes
  *   the row-change query; analysed with the statement, but planned anew by each attempt to run it. Without columns in
  *   a TRUNCATE
  * @param writes
  *   see [[RowChangeQuery]]; so is `stays`
  * @param overwrite
  *   what an overwrite or TRUNCATE replaces
  * @param read
  *   how the query reads the target, if it does
  * @param restores
  *   the rows are the target's own, to be written back as they are
  */
case class AcidWriteCommand(
    kind: StatementKind,
    target: CatalogTable,
    changes: LogicalPlan,
    writes: RowWrites,
    stays: Boolean,
    overwrite: Option[Overwrite] = None,
    read: Option[TargetRead] = None,
    restores: Boolean = false,
    isAnalyzed: Boolean = false
) extends RunnableCommand
    with AnalysisOnlyCommand
    with TableStatement {
  override lazy val metrics: Map[String, SQLMetric] = StatementMetrics.create()
  override val output: Seq[Attribute] = AcidWriteCommand.counts(kind)
  override def childrenToAnalyze: Seq[LogicalPlan] = Seq(changes)
  override def nodeName: String = s"HiveAcid ${kind.name.toUpperCase}"
  override def simpleString(maxFields: Int): String = s"$nodeName ${AcidTable.name(target)}"

  override def statementKind: String = kind.name.toUpperCase
  override def targets: Seq[TableIdentifier] = Seq(target.identifier)
  override def sources: Seq[TableIdentifier] = SourceTables.of(changes, read)

  override def markAsAnalyzed(context: AnalysisContext): LogicalPlan = copy(isAnalyzed = true)
  override protected def withNewChildrenInternal(children: IndexedSeq[LogicalPlan]): LogicalPlan =
    copy(changes = children.head)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val written = new WrittenFiles
    val answer = SessionTransactions.refreshing(session, Seq(target)) {
      StatementTexts.describing(session, this)(RunningStatements.execute(session, this, written))
    }
    StatementMetrics.show(session, metrics, answer, Seq(written))
    if (output.isEmpty) Nil else Seq(Row.fromSeq(kind.traits.counts.map(AcidWriteCommand.count(answer.counts, _))))
  }

  /** The same statement over another query, known by the same text. */
  def over(query: LogicalPlan): AcidWriteCommand = CurrentOrigin.withOrigin(origin)(copy(changes = query))

  private def table: String = AcidTable.name(target)

  /** The use of the values that it reads of its target. */
  def useOfValues: ValueUse =
    if (restores || kind.traits.keepsValues && writes != InsertKind && writes != DeleteKind) ValueUse.WrittenBack
    else if (kind.traits.keepsValues || writes == DeleteKind) ValueUse.Decides
    else if (kind.traits.changesRows || kind.traits.replaces) ValueUse.Stored
    else ValueUse.Shown

  /** The request to Python. */
  def request(session: SparkSession): Statement = {
    val title = kind.name.toUpperCase
    refuseOtherTransaction(session)
    SessionTransactions.refuseOutside(session, origin.sqlText.isDefined, title, table)
    ReadZones.refuseOthers(title, ReadZones.of(changes), session.sessionState.conf.sessionLocalTimeZone)
    built(session)
  }

  /** A transaction of several statements is one of the session's own catalog. */
  private def refuseOtherTransaction(session: SparkSession): Unit =
    if (AcidTable.foreignCatalog(target).isDefined)
      SessionTransactions.refuse(session, s"${kind.name.toUpperCase} of a table of another catalog", table)

  private def built(session: SparkSession): Statement = Statement(
    kind = kind,
    target = table,
    writes = writes,
    timeZone = session.sessionState.conf.sessionLocalTimeZone,
    parallelism = session.sparkContext.defaultParallelism,
    transaction = SessionTransactions.of(session),
    analysed = AnalysedTables.describe(target) +: AnalysedTables.read(target, changes),
    sources = AcidFileIndex.tablesBeside(target, changes).map(AcidTable.name).distinct,
    overwrite = overwrite,
    text = StatementTexts.of(this),
    settings = PythonSide.settings(session)
  )
}

object AcidWriteCommand {

  /** The columns of the result, in the names of Delta. */
  def counts(kind: StatementKind): Seq[Attribute] =
    kind.traits.counts.map(count => AttributeReference(s"num_${count}_rows", LongType)())

  /** The number that a kind of statement counts by this name. */
  private def count(rows: RowCounts, name: String): Long = name match {
    case "affected" => rows.affected
    case "updated"  => rows.updated
    case "deleted"  => rows.deleted
    case "inserted" => rows.inserted
  }
}
