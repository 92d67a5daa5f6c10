package hiveacid.commands

import scala.util.control.NonFatal

import hiveacid.catalog.ForeignTables
import hiveacid.plugins.TableStatement
import hiveacid.values.AcidTable
import hiveacid.errors.AcidException

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{CreateTableCommand, DropTableCommand, LeafRunnableCommand}
import org.apache.spark.sql.hiveacid.RowAccess

/** Creates the table, and inserts into it. The table is there, without rows, before the INSERT is committed; if that
  * fails it is dropped, but not if it is committed, if nobody knows whether it is, or if others have used it meanwhile.
  */
case class CreateTableAsSelectCommand(table: CatalogTable, query: LogicalPlan)
    extends LeafRunnableCommand
    with TableStatement {
  override def nodeName: String = "HiveAcid CREATE TABLE AS SELECT"
  override def simpleString(maxFields: Int): String = s"$nodeName ${AcidTable.name(table)}"
  override def statementKind: String = "CREATE TABLE AS SELECT"
  override def targets: Seq[TableIdentifier] = Seq(table.identifier)
  override def sources: Seq[TableIdentifier] = SourceTables.of(query)
  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    // the rows of this query have no NULL in some columns, and others may have
    val schema = RowAccess.nullable(CharVarcharUtils.getRawSchema(query.schema, session.sessionState.conf))
    create(session, table.copy(schema = schema))
    val insert = CurrentOrigin.withOrigin(origin)(InsertByName(table.identifier, query))
    val identity = RunningStatements.createdTable(session, table)
    try RowAccess.frame(session, insert)
    catch {
      case unknown: AcidException if unknown.mayBeCommitted => throw unknown
      case failure: Throwable                               =>
        try RunningStatements.takeBack(session, table, identity, failure)(() => drop(session))
        catch { case NonFatal(kept) => throw because(kept, failure) }
        throw failure
    }
    Nil
  }

  private def create(session: SparkSession, described: CatalogTable): Unit = {
    val creation =
      if (ForeignTables.catalogOf(session, table).isDefined)
        CreateForeignTableCommand(described, ignoreIfExists = false)
      else CreateTableCommand(described, ignoreIfExists = false)
    RowAccess.frame(session, creation)
  }

  /** Without the analyzer's rules, which would lock the table once more. */
  private def drop(session: SparkSession): Unit = ForeignTables
    .catalogOf(session, table)
    .fold[Unit](DropTableCommand(table.identifier, ifExists = true, isView = false, purge = true).run(session))(
      _.drop(table.identifier, purges = true, isLocked = true)
    )

  private def because(kept: Throwable, failure: Throwable): Throwable = {
    if (kept ne failure) kept.addSuppressed(failure)
    kept
  }
}
