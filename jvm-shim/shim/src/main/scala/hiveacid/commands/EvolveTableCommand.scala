package hiveacid.commands

import scala.util.control.NonFatal

import hiveacid.errors.AcidException
import hiveacid.plugins.TableStatement
import hiveacid.scan.SessionTransactions
import hiveacid.values.AcidTable
import hiveacid.wire.{DdlKind, StatementKind}

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{AlterTableAddColumnsCommand, LeafRunnableCommand}
import org.apache.spark.sql.hiveacid.RowAccess
import org.apache.spark.sql.types.{StructField, StructType}

/** Adds columns to a table, and runs a statement on it as it is then. If the statement fails the columns go again, but
  * not if it may be committed, or if others have written to the table meanwhile.
  *
  * @param statement
  *   as it was parsed
  */
case class EvolveTableCommand(table: CatalogTable, added: Seq[StructField], statement: LogicalPlan, kind: StatementKind)
    extends LeafRunnableCommand
    with TableStatement {
  override val output: Seq[Attribute] = AcidWriteCommand.counts(kind)
  override def nodeName: String = s"HiveAcid $title"
  override def simpleString(maxFields: Int): String = {
    val columns = added.map(f => s"${f.name} ${f.dataType.catalogString}").mkString(", ")
    s"$nodeName ${AcidTable.name(table)}, adding $columns"
  }
  private def title = s"${kind.traits.title} WITH SCHEMA EVOLUTION"

  // the statement itself is asked for when it runs
  override def statementKind: String = DdlKind.AlterColumns.title
  override def targets: Seq[TableIdentifier] = Seq(table.identifier)
  override def sources: Seq[TableIdentifier] = SourceTables.of(statement)
  override def innerChildren: Seq[LogicalPlan] = Seq(statement)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    SessionTransactions.refuse(session, title, AcidTable.name(table))
    val addition = AlterTableAddColumnsCommand(table.identifier, added)
    val ddl = AcidDdlCommand(DdlKind.AlterColumns, Seq(table), addition, newColumns = added)
    val done = RunningStatements.addColumns(session, ddl)(() => addition.run(session))
    try RowAccess.frame(session, statement).collect().toSeq
    catch {
      case unknown: AcidException if unknown.mayBeCommitted => throw unknown
      case failure: Throwable                               =>
        try RunningStatements.takeColumnsBack(session, table, done, failure)(() => remove(session))
        catch {
          case NonFatal(kept) =>
            if (kept ne failure) kept.addSuppressed(failure)
            throw kept
        }
        throw failure
    }
  }

  private def remove(session: SparkSession): Unit = {
    val catalog = session.sessionState.catalog
    val stored = catalog.getTableRawMetadata(table.identifier)
    val kept = stored.dataSchema.filterNot(f => added.exists(_.name.equalsIgnoreCase(f.name)))
    catalog.externalCatalog.alterTableDataSchema(stored.database, stored.identifier.table, StructType(kept))
    catalog.refreshTable(table.identifier)
  }
}
