package hiveacid.commands

import hiveacid.plugins.TableStatement
import hiveacid.values.AcidTable
import hiveacid.scan.SessionTransactions

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

/** Hive's INSERT into several tables: one transaction, and one number of rows. */
case class AcidMultiInsertCommand(inserts: Seq[AcidWriteCommand]) extends LeafRunnableCommand with TableStatement {
  override lazy val metrics: Map[String, SQLMetric] = StatementMetrics.create()
  override val output: Seq[Attribute] = Seq(AttributeReference("num_affected_rows", LongType)())
  override def nodeName: String = "HiveAcid INSERT into several tables"
  override def simpleString(maxFields: Int): String =
    s"$nodeName ${inserts.map(i => AcidTable.name(i.target)).distinct.mkString(", ")}"
  override def statementKind: String = "INSERT into several tables"
  override def targets: Seq[TableIdentifier] = inserts.flatMap(_.targets).distinct
  override def sources: Seq[TableIdentifier] = inserts.flatMap(_.sources).distinct
  override def innerChildren: Seq[LogicalPlan] = inserts

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    SessionTransactions.refuse(session, "INSERT into several tables", AcidTable.name(inserts.head.target))
    val written = inserts.map(_ => new WrittenFiles)
    val answer = SessionTransactions.refreshing(session, inserts.map(_.target)) {
      StatementTexts.describing(session, inserts.head) {
        RunningStatements.executeTogether(session, inserts.zip(written))
      }
    }
    StatementMetrics.show(session, metrics, answer, written)
    Seq(Row(answer.counts.affected))
  }
}
