package hiveacid

import scala.util.control.NonFatal

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
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
      CurrentOrigin.withOrigin(StatementText.origin(c.query, "CREATE")) {
        AcidCreateTableAsSelectCommand(c.tableDesc, Project(names, c.query))
      }
    case other => other
  }
}

/** Creates the table, and inserts into it. The table is there, without rows, before the INSERT is committed; if that
  * fails it is dropped, but not if nobody knows whether it has failed.
  */
case class AcidCreateTableAsSelectCommand(table: CatalogTable, query: LogicalPlan) extends LeafRunnableCommand {
  override def nodeName: String = "HiveAcid CREATE TABLE AS SELECT"
  override def simpleString(maxFields: Int): String = s"$nodeName ${AcidTables.name(table)}"
  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    val schema = CharVarcharUtils.getRawSchema(query.schema, session.sessionState.conf)
    SparkLine.frame(session, CreateTableCommand(table.copy(schema = schema), ignoreIfExists = false))
    val insert = CurrentOrigin.withOrigin(origin)(InsertByName(table.identifier, query))
    try SparkLine.frame(session, insert)
    catch {
      case unknown: AcidException if unknown.getCondition == "HIVE_ACID_COMMIT_STATE_UNKNOWN" => throw unknown
      case failure: Throwable                                                                 =>
        // without the analyzer's rules, and so without a lock: also where the statement was cancelled
        try DropTableCommand(table.identifier, ifExists = true, isView = false, purge = true).run(session)
        catch { case NonFatal(e) => failure.addSuppressed(e) }
        throw failure
    }
    Nil
  }
}
