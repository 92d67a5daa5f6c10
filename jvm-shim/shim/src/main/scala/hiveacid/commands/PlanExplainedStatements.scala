package hiveacid.commands

import hiveacid.scan.AcidFileIndex

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{CommandExecutionMode, LeafExecNode, SparkPlan, SparkStrategy}

/** EXPLAIN shows the physical plan of a row-change query, which is planned once more when the statement runs. */
final case class PlanExplainedStatements(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case c: AcidWriteCommand if ExplainedStatements.isExplained(c) =>
      // bound as for its run, to a snapshot that nobody opens
      val query = AcidFileIndex.bind(c.changes, c.target, "", c.useOfValues)
      Seq(ExplainedExec(c, session.sessionState.executePlan(query, CommandExecutionMode.SKIP).executedPlan))
    case _ => Nil
  }
}

/** A statement above the physical plan of its query, to be shown and not to be executed. */
final case class ExplainedExec(command: AcidWriteCommand, query: SparkPlan) extends LeafExecNode {
  override def output: Seq[Attribute] = command.output
  override def nodeName: String = s"Execute ${command.nodeName}"
  override def simpleString(maxFields: Int): String = s"Execute ${command.simpleString(maxFields)}"
  override def innerChildren: Seq[QueryPlan[_]] = Seq(query)
  override protected def doExecute(): RDD[InternalRow] = throw new IllegalStateException("it is explained alone")
}
