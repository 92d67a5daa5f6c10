package hiveacid

import scala.util.control.NonFatal

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{CreateTableCommand, DropTableCommand, LeafRunnableCommand}
import org.apache.spark.sql.hive.execution.CreateHiveTableAsSelectCommand
import org.apache.spark.sql.hiveacid.SparkLine

/** CREATE TABLE … AS SELECT of a transactional table, as Spark's rules leave it for tables of Hive. */
case class ReplaceCreationsAsSelect(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c: CreateHiveTableAsSelectCommand if AcidTables.isTransactional(c.tableDesc) =>
      val names = c.query.output.zip(c.outputColumnNames).map { case (column, name) => Alias(column, name)() }
      val name = AcidTables.name(c.tableDesc)
      if (SessionTransactions.of(session).isDefined)
        throw AcidException.unsupported("CREATE TABLE … AS SELECT within a transaction", name)
      AcidTables.refuseUnwritable("CREATE TABLE … AS SELECT", c.tableDesc)
      AcidCreateTableAsSelectCommand(c.tableDesc, Project(names, c.query))
    case other => other
  }
}

/** Creates the table, and inserts into it. The table is there, without rows, before the INSERT is committed; if that
  * fails it is dropped.
  */
case class AcidCreateTableAsSelectCommand(table: CatalogTable, query: LogicalPlan) extends LeafRunnableCommand {
  override def nodeName: String = "HiveAcid CREATE TABLE AS SELECT"
  override def simpleString(maxFields: Int): String = s"$nodeName ${AcidTables.name(table)}"
  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val schema = CharVarcharUtils.getRawSchema(query.schema, session.sessionState.conf)
    SparkLine.frame(session, CreateTableCommand(table.copy(schema = schema), ignoreIfExists = false))
    val target = UnresolvedRelation(table.identifier.nameParts)
    try {
      val insert = InsertIntoStatement(
        target,
        Map.empty,
        Nil,
        query,
        overwrite = false,
        ifPartitionNotExists = false,
        byName = true
      )
      SparkLine.frame(session, insert)
    } catch {
      case failure: Throwable =>
        try SparkLine.frame(session, DropTableCommand(table.identifier, ifExists = true, isView = false, purge = true))
        catch { case NonFatal(e) => failure.addSuppressed(e) }
        throw failure
    }
    Nil
  }
}
