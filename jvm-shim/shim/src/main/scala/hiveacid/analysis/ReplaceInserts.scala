package hiveacid.analysis

import hiveacid.catalog.{MetastoreTable, SessionTables}
import hiveacid.commands.{AcidMultiInsertCommand, AcidWriteCommand, Overwrites}
import hiveacid.errors.Refusal
import hiveacid.formats.TransactionalFileFormat
import hiveacid.values.{AcidTable, InsertKind}
import hiveacid.wire.StatementKind

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.TruncateTableCommand
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.hiveacid.SparkAccess
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode

/** INSERT, as Spark's own rules leave it: one node, columns matched and cast by store assignment. And TRUNCATE. */
case class ReplaceInserts(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case u: Union if u.children.exists(isOurs) => together(u)
    case _                                     =>
      plan.resolveOperators {
        case r: ResolvedReplacement                                                        => replace(r)
        case ChosenOverwrite(c: InsertIntoHadoopFsRelationCommand, isDynamic) if isOurs(c) => insert(c, Some(isDynamic))
        case c: InsertIntoHadoopFsRelationCommand if isOurs(c)                             => insert(c)
        case t @ TruncateTableCommand(id, spec)                                            =>
          SessionTables.find(session, id).fold[LogicalPlan](t)(truncate(_, spec))
        case TruncateTable(ForeignTable(t))                                       => truncate(t, None)
        case TruncatePartition(ForeignTable(t), UnresolvedPartitionSpec(spec, _)) => truncate(t, Some(spec))
      }
  }

  /** A table of a catalog with a metastore of its own, named by a statement of Spark's about tables. */
  private object ForeignTable {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
      case ResolvedTable(_, _, table, _) => MetastoreTable.of(table)
      case _                             => None
    }
  }

  private def isOurs(p: LogicalPlan) = p match {
    case c: InsertIntoHadoopFsRelationCommand => c.fileFormat.isInstanceOf[TransactionalFileFormat]
    case _                                    => p.isInstanceOf[ResolvedReplacement]
  }

  private def together(u: Union): AcidMultiInsertCommand = {
    val inserts = u.children.collect {
      case r: ResolvedReplacement =>
        ResolvedReplacement.refuse(r.target, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_BESIDE_INSERTS"))
      case c: InsertIntoHadoopFsRelationCommand if isOurs(c) => insert(c)
    }
    if (
      inserts.length < u.children.length || inserts.map(i => AcidTable.foreignCatalog(i.target)).distinct.length > 1
    ) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_TABLES")
      AcidTable.refuse("INSERT into several tables", inserts.head.target, refusal)
    }
    AcidMultiInsertCommand(inserts)
  }

  private def insert(c: InsertIntoHadoopFsRelationCommand, chosenDynamic: Option[Boolean] = None): AcidWriteCommand = {
    val table = c.catalogTable.get
    Assignments.refuseLegacy("INSERT", table)
    val rows = CanonicalStatement.insert(c.query).rowChanges(session, table)
    // a handful of rows, as of VALUES, goes to one file, not to one per core
    val small = table.partitionColumnNames.isEmpty && c.query.maxRows.exists(_ <= ReplaceInserts.OneFileRows)
    val changes = if (small) Repartition(1, shuffle = false, rows.plan) else rows.plan
    // the analyzer's resolution batches are over, so the few names the rewriting introduced are resolved here
    val analysed = session.sessionState.analyzer.execute(changes)
    val isDynamic = chosenDynamic.getOrElse(isDynamicBySetting)
    val named = Overwrites.of(session, table, c.staticPartitions, isDynamic, c.ifPartitionNotExists)
    val overwrite = Some(named).filter(_ => c.mode == SaveMode.Overwrite)
    val kind = if (overwrite.isDefined) StatementKind.Overwrite else StatementKind.Insert
    CurrentOrigin.withOrigin(c.origin) {
      AcidWriteCommand(kind, table, analysed, rows.writes, rows.stays, overwrite, isAnalyzed = true)
    }
  }

  private def replace(r: ResolvedReplacement): LogicalPlan = r.insert match {
    case c: InsertIntoHadoopFsRelationCommand =>
      val table = c.catalogTable.get
      Assignments.refuseLegacy("INSERT", table)
      val rows = r.canonical(c).rowChanges(session, table)
      val analysed = session.sessionState.analyzer.execute(rows.plan)
      AcidWriteCommand(
        StatementKind.Replace,
        table,
        analysed,
        rows.writes,
        rows.stays,
        read = rows.read,
        isAnalyzed = true
      )
    case _ => r
  }

  /** Tables of Hive are always overwritten partition by partition, says Spark's documentation of the setting; here too,
    * unless somebody asks for the other way.
    */
  private def isDynamicBySetting: Boolean = {
    val setting = SQLConf.PARTITION_OVERWRITE_MODE
    val conf = session.sessionState.conf
    !conf.contains(setting.key) || conf.partitionOverwriteMode == PartitionOverwriteMode.DYNAMIC
  }

  private def truncate(table: CatalogTable, spec: Option[TablePartitionSpec]): LogicalPlan = {
    MetastoreTable.refusePlain("TRUNCATE TABLE", table)
    if (spec.isDefined && table.partitionColumnNames.isEmpty)
      AcidTable.refuse("TRUNCATE TABLE … PARTITION", table, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS"))
    val values = spec.fold(Map.empty[String, String])(SparkAccess.normalizedPartition(session, table, _))
    val overwrite = Overwrites.of(session, table, values, isDynamic = false, ifNotExists = false)
    val kind = StatementKind.Truncate
    val noRows = LocalRelation()
    AcidWriteCommand(kind, table, noRows, InsertKind, stays = false, Some(overwrite), isAnalyzed = true)
  }
}

object ReplaceInserts {
  private val OneFileRows = 10000L
}
