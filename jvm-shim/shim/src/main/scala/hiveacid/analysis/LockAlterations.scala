package hiveacid.analysis

import java.util.Locale

import hiveacid.catalog.SessionTables
import hiveacid.values.AcidTable
import hiveacid.commands.{AcidDdlCommand, ChangeColumnCommand, Overwrites}
import hiveacid.wire.DdlKind
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedNamespace, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.plans.logical.{CommentOnTable, DropNamespace, DropTable, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableCatalog}
import org.apache.spark.sql.execution.command._
import org.apache.spark.sql.hiveacid.{SparkLineComments, SparkAccess}

/** Spark's own statements that alter a transactional table become ones that wait for readers and writers. */
case class LockAlterations(session: SparkSession) extends Rule[LogicalPlan] {
  private def catalog = session.sessionState.catalog

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c: RunnableCommand => locked(c).getOrElse(c)
    case other              => forSessionCatalog(other).flatMap(locked).getOrElse(other)
  }

  private def locked(c: RunnableCommand): Option[AcidDdlCommand] =
    ofPartitions(c).orElse(ofTable(c)).orElse(ofDatabase(c))

  /** Commands that Spark plans for all catalogs alike, as its own command for the session catalog that does the same.
    */
  private def forSessionCatalog(plan: LogicalPlan): Option[RunnableCommand] = plan match {
    case DropTable(SessionTable(id), ifExists, purge) => Some(DropTableCommand(id, ifExists, isView = false, purge))
    case DropNamespace(n: ResolvedNamespace, ifExists, cascade) if isSession(n.catalog) && n.namespace.length == 1 =>
      Some(DropDatabaseCommand(n.namespace.head, ifExists, cascade))
    case CommentOnTable(SessionTable(id), text) =>
      Some(AlterTableSetPropertiesCommand(id, Map(TableCatalog.PROP_COMMENT -> text), isView = false))
    case _ => None
  }

  private def isSession(catalog: CatalogPlugin) = catalog.name == AcidTable.SessionCatalog

  private object SessionTable {
    def unapply(plan: LogicalPlan): Option[TableIdentifier] = plan match {
      case ResolvedIdentifier(catalog, name) if isSession(catalog)  => identifier(name)
      case ResolvedTable(catalog, name, _, _) if isSession(catalog) => identifier(name)
      case _                                                        => None
    }

    private def identifier(name: Identifier) =
      Some(name).filter(_.namespace.length == 1).map(n => TableIdentifier(n.name, Some(n.namespace.head)))
  }

  /** Values are handed to Spark's command as Hive spells them: Spark's spelling of a number would name a partition that
    * Hive, and an INSERT of ours, never finds again.
    */
  private def ofPartitions(c: RunnableCommand): Option[AcidDdlCommand] = c match {
    case a @ AlterTableAddPartitionCommand(id, added, _) =>
      ours(id).map { t =>
        val locations = added.map(_._2.fold("")(qualified(t, _)))
        val command = a.copy(partitionSpecsAndLocs = added.map { case (spec, at) => (spelled(t, spec), at) })
        AcidDdlCommand(DdlKind.AddPartition, Seq(t), command, added.map(a => parts(t, a._1)), locations)
      }
    case d @ AlterTableDropPartitionCommand(id, specs, _, _, _) =>
      ours(id).map { t =>
        AcidDdlCommand(DdlKind.DropPartition, Seq(t), d.copy(specs = specs.map(spelled(t, _))), specs.map(parts(t, _)))
      }
    case r @ AlterTableRenamePartitionCommand(id, from, to) =>
      ours(id).map { t =>
        val command = r.copy(oldPartition = spelled(t, from), newPartition = spelled(t, to))
        AcidDdlCommand(DdlKind.RenamePartition, Seq(t), command, Seq(parts(t, from), parts(t, to)))
      }
    case _ => None
  }

  private def ofTable(c: RunnableCommand): Option[AcidDdlCommand] = {
    def alter(kind: DdlKind, id: TableIdentifier) = ours(id).map(t => AcidDdlCommand(kind, Seq(t), c))
    c match {
      case a: AlterTableAddColumnsCommand =>
        alter(DdlKind.AlterColumns, a.table).map(_.copy(newColumns = a.colsToAdd))
      case a: AlterTableChangeColumnCommand        => ours(a.tableName).map(changedColumn(_, a))
      case SparkLineComments.ColumnsOf(table)      => alter(DdlKind.AlterColumns, table)
      case a: AlterTableRenameCommand if !a.isView => alter(DdlKind.RenameTable, a.oldName)
      case a: AlterTableSetPropertiesCommand       =>
        alter(DdlKind.SetProperties, a.tableName).orElse(
          becoming(a).map { t =>
            val isInsertOnly = AcidTable.isInsertOnly(t, a.properties)
            val kind = if (isInsertOnly) DdlKind.ConvertToInsertOnly else DdlKind.Convert
            AcidDdlCommand(kind, Seq(t), c, newColumns = t.schema)
          }
        )
      case a: AlterTableUnsetPropertiesCommand => alter(DdlKind.SetProperties, a.tableName)
      case a: AnalyzeTableCommand              => alter(DdlKind.Analyze, a.tableIdent)
      case a: AnalyzePartitionCommand          => alter(DdlKind.Analyze, a.tableIdent)
      case a: AnalyzeColumnCommand             => alter(DdlKind.Analyze, a.tableIdent)
      case d: DropTableCommand if !d.isView    => alter(DdlKind.DropTable, d.tableName)
      case _                                   => None
    }
  }

  /** Spark's command for a comment. It has none for another type. */
  private def changedColumn(t: CatalogTable, a: AlterTableChangeColumnCommand): AcidDdlCommand = {
    val column = a.newColumn
    val stored = catalog.getTableRawMetadata(a.tableName).dataSchema.find(_.name.equalsIgnoreCase(a.columnName))
    if (stored.forall(_.dataType == column.dataType)) AcidDdlCommand(DdlKind.AlterColumns, Seq(t), a)
    else {
      val command = ChangeColumnCommand(a.tableName, a.columnName, None, Some(column.dataType), column.getComment())
      AcidDdlCommand(DdlKind.AlterColumns, Seq(t), command, newColumns = Seq(column))
    }
  }

  /** The table of Hive that becomes transactional. */
  private def becoming(a: AlterTableSetPropertiesCommand): Option[CatalogTable] =
    Some(a.tableName)
      .filter(name => AcidTable.setsTransactional(a.properties) && catalog.tableExists(name))
      .map(catalog.getTableMetadata)
      .filter(t => t.tableType != CatalogTableType.VIEW && t.provider.exists(_.equalsIgnoreCase("hive")))

  /** Statements about all tables of a database. */
  private def ofDatabase(c: RunnableCommand): Option[AcidDdlCommand] = {
    def alter(kind: DdlKind, database: String) = Some(database)
      .filter(catalog.databaseExists)
      .map(catalog.listTables(_).flatMap(SessionTables.find(session, _)))
      .filter(_.nonEmpty)
      .map(AcidDdlCommand(kind, _, c))
    c match {
      case d: DropDatabaseCommand if d.cascade => alter(DdlKind.DropDatabase, d.databaseName)
      case d: DropDatabaseCommand              => refuseNotEmpty(d.databaseName); None
      case a: AnalyzeTablesCommand => alter(DdlKind.Analyze, a.databaseName.getOrElse(catalog.getCurrentDatabase))
      case _                       => None
    }
  }

  /** Spark's own error, but before the metastore is asked: one of 3.1.3 forgets the write IDs of all tables of a
    * database that it does not drop, and so hides their rows from every engine.
    */
  private def refuseNotEmpty(database: String): Unit =
    if (catalog.databaseExists(database) && catalog.listTables(database).exists(ours(_).isDefined))
      throw new AnalysisException("SCHEMA_NOT_EMPTY", Map("schemaName" -> s"`$database`"))

  private def ours(id: TableIdentifier): Option[CatalogTable] = SessionTables.find(session, id)

  private def parts(t: CatalogTable, spec: TablePartitionSpec): Seq[String] =
    Overwrites.parts(session, t, SparkAccess.normalizedPartition(session, t, spec))

  /** The same values for the same names; NULL as it came. */
  private def spelled(t: CatalogTable, spec: TablePartitionSpec): TablePartitionSpec = {
    val texts = Overwrites.texts(session, t, SparkAccess.normalizedPartition(session, t, spec)).toMap
    spec.map { case (name, value) =>
      name -> texts.get(name.toLowerCase(Locale.ROOT)).filter(_ != null).getOrElse(value)
    }
  }

  /** Where Spark puts a partition whose location is given so. */
  private def qualified(t: CatalogTable, location: String): String = {
    val path = new Path(CatalogUtils.stringToURI(location))
    val absolute = if (path.isAbsolute) path else new Path(new Path(t.location), path)
    absolute.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(absolute).toString
  }
}
