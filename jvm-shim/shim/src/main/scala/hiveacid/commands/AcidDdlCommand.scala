package hiveacid.commands

import hiveacid.catalog.NewTables
import hiveacid.plugins.TableStatement
import hiveacid.values.AcidTable
import hiveacid.python.PythonSide
import hiveacid.scan.SessionTransactions
import hiveacid.wire.{DdlKind, DdlStatement}

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{AlterTableRenameCommand, LeafRunnableCommand, RunnableCommand}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructField

/** A statement of Spark's own that alters transactional tables, to be run under Hive's locks.
  *
  * @param tables
  *   of which there is one at least
  * @param partitions
  *   its PARTITION clauses, each as `k=v` in the metastore's spelling
  * @param locations
  *   those that new partitions are given, one for each of `partitions`, empty for the one below the table
  * @param newColumns
  *   those that are to be columns of a transactional table by then
  */
case class AcidDdlCommand(
    kind: DdlKind,
    tables: Seq[CatalogTable],
    command: RunnableCommand,
    partitions: Seq[Seq[String]] = Nil,
    locations: Seq[String] = Nil,
    newColumns: Seq[StructField] = Nil
) extends LeafRunnableCommand
    with TableStatement {
  override val output: Seq[Attribute] = command.output
  override def nodeName: String = s"HiveAcid ${kind.title}"
  override def simpleString(maxFields: Int): String = s"$nodeName ${tables.map(AcidTable.name).mkString(", ")}"
  override def statementKind: String = kind.title
  override def targets: Seq[TableIdentifier] = tables.map(_.identifier)
  override def sources: Seq[TableIdentifier] = Nil
  override def innerChildren: Seq[LogicalPlan] = Seq(command)

  override def run(api: ApiSession): Seq[Row] = {
    val session = api.asInstanceOf[SparkSession]
    SessionTransactions.refuse(session, kind.title, AcidTable.name(tables.head))
    var rows = Seq.empty[Row]
    RunningStatements.alter(session, this)(() => rows = runCommand(session))
    rows
  }

  private def runCommand(session: SparkSession): Seq[Row] =
    if (partitions.isEmpty) command.run(session)
    else {
      // values of partitions have their types and Hive's spelling already, which Spark would turn into its own
      val conf = session.sessionState.conf.clone()
      conf.setConf(SQLConf.SKIP_TYPE_VALIDATION_ON_ALTER_PARTITION, true)
      SQLConf.withExistingConf(conf)(command.run(session))
    }

  /** The request to Python. */
  def request(session: SparkSession): DdlStatement =
    DdlStatement(
      kind,
      tables.map(AcidTable.name),
      partitions,
      locations,
      newName,
      columnChange,
      newColumns.map(NewTables.newColumn),
      PythonSide.settings(session)
    )

  private def newName = command match {
    case rename: AlterTableRenameCommand => Some(rename.newName.table)
    case _                               => None
  }

  private def columnChange = command match {
    case c: ChangeColumnCommand => Some(c.change)
    case _                      => None
  }
}
