package hiveacid.commands

import hiveacid.errors.AcidException
import hiveacid.scan.SessionTransactions

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.hiveacid.SparkLineSupervision
import org.apache.spark.sql.types.StringType

/** `EXPLAIN ACID`: the effects of a statement, without doing it. As in Spark's EXPLAIN, the statement is analysed when
  * this runs, and no rule sees it before.
  *
  * @param isFormatted
  *   true: one row with JSON, for programs; false: a row for each fact
  */
case class ExplainAcidCommand private (statement: LogicalPlan, isFormatted: Boolean)
    extends LeafRunnableCommand
    with SparkLineSupervision {
  override val output: Seq[Attribute] =
    Seq("item", "value").map(AttributeReference(_, StringType, nullable = false)())

  /** How parameters get into the statement, where Spark does not put them into its text. */
  override def withTransformedSupervisedPlan(transformer: LogicalPlan => LogicalPlan): LogicalPlan =
    copy(statement = transformer(statement))

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val answer = RunningStatements.dryRun(session, analysed(session))
    if (isFormatted) Seq(Row("json", answer.json)) else answer.facts.map(fact => Row.fromSeq(fact))
  }

  private def analysed(session: SparkSession): AcidWriteCommand = {
    if (SessionTransactions.of(session).isDefined)
      throw AcidException("HIVE_ACID_DRY_RUN.IN_TRANSACTION", Map.empty)
    val execution = session.sessionState.executePlan(statement, CommandExecutionMode.SKIP)
    execution.optimizedPlan // where extensions ask who may run the statement, as they do when it is run
    execution.analyzed match {
      case c: AcidWriteCommand           => c
      case _: AcidMultiInsertCommand     => throw AcidException("HIVE_ACID_DRY_RUN.SEVERAL_INSERTS", Map.empty)
      case _: CreateTableAsSelectCommand => throw AcidException("HIVE_ACID_DRY_RUN.CREATES_TABLE", Map.empty)
      case _: EvolveTableCommand         => throw AcidException("HIVE_ACID_DRY_RUN.ADDS_COLUMNS", Map.empty)
      case _                             => throw AcidException("HIVE_ACID_DRY_RUN.NOT_TRANSACTIONAL", Map.empty)
    }
  }
}

object ExplainAcidCommand {

  /** Refuses what changes no rows before anybody analyses it: Spark carries out some statements, as EXECUTE IMMEDIATE,
    * while it analyses them.
    */
  def of(statement: LogicalPlan, isFormatted: Boolean): ExplainAcidCommand =
    if (changesRows(statement)) ExplainAcidCommand(statement, isFormatted)
    else throw AcidException("HIVE_ACID_DRY_RUN.OTHER_STATEMENT", Map.empty)

  private def changesRows(parsed: LogicalPlan): Boolean = parsed match {
    case _: InsertIntoStatement | _: UpdateTable | _: DeleteFromTable | _: MergeIntoTable => true
    case _: TruncateTable | _: TruncatePartition | _: V2WriteCommand                      => true
    case _: CreateTableAsSelect                                                           => true // refused later on
    // names by IDENTIFIER(…): what the statement is does not hang on them
    case PlanWithUnresolvedIdentifier(_, children, build) => changesRows(build(Seq("name"), children))
    case w: UnresolvedWith                                => changesRows(w.child)
    case Union(children, _, _)                            => children.forall(changesRows)
    case _                                                => false
  }
}
