package hiveacid.analysis

import hiveacid.values.AcidTable
import hiveacid.commands.{CreateTableAsSelectCommand, StatementTexts}
import hiveacid.scan.{AcidRelation, SessionTransactions}

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand

/** CREATE TABLE … AS SELECT of a transactional table, as Spark's rules leave it for tables of Hive. */
case class ReplaceCreationsAsSelect(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c: CreateHiveTableAsSelectCommand if AcidTable.isTransactional(c.tableDesc) =>
      val names = c.query.output.zip(c.outputColumnNames).map { case (column, name) => Alias(column, name)() }
      val name = AcidTable.name(c.tableDesc)
      SessionTransactions.refuse(session, "CREATE TABLE … AS SELECT", name)
      AcidRelation.refuseUnwritable("CREATE TABLE … AS SELECT", c.tableDesc)
      CurrentOrigin.withOrigin(StatementTexts.origin(c.query, "CREATE")) {
        CreateTableAsSelectCommand(c.tableDesc, Project(names, c.query))
      }
    case other => other
  }
}
