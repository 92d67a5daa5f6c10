package hiveacid.guard

import java.util.Locale

import hiveacid.catalog.{MetastoreTable, SessionTables}
import hiveacid.scan.{AcidRelation, ForeignNode}
import hiveacid.values.AcidTable
import hiveacid.commands.{AcidDdlCommand, AcidMultiInsertCommand, AcidWriteCommand}
import hiveacid.errors.{AcidException, Refusal}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}
import org.apache.spark.sql.execution.command._
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.hive.execution.{CreateHiveTableAsSelectCommand, InsertIntoHiveTable}
import org.apache.spark.sql.hiveacid.{SparkLineNodes, SparkAccess}

/** Refuses every plan that would still read or write a transactional table by a node that is not ours: what Spark does
  * to such a table is silently wrong. Tables that are not transactional pass untouched.
  */
case class Guard(session: SparkSession) extends (LogicalPlan => Unit) {
  import GuardRefusals._

  override def apply(plan: LogicalPlan): Unit = {
    AcidRelation
      .named(plan)
      .filter(_ => SparkLineNodes.isReadToBeDropped)
      .foreach(l => refuse(l.catalogTable.get, "saveAsTable that overwrites", Dropping))
    everywhere(plan)
  }

  private def everywhere(plan: LogicalPlan): Unit = plan.foreach { node =>
    check(node)
    node.subqueries.foreach(everywhere)
  }

  private def check(node: LogicalPlan): Unit = node match {
    case h: HiveTableRelation            => AcidRelation.unapply(h).foreach(refuse(_, "Reading", SparkReader))
    case l: LogicalRelation              => AcidRelation.unapply(l).foreach(refuse(_, "Reading", SparkReader))
    case MetastoreTable(table)           => refuse(table, "Reading", SparkReader)
    case SparkLineNodes.StreamedTable(t) => refuseAcid(t, "Reading as a stream", StreamRead)
    case w: WriteToStream                => w.catalogTable.foreach(refuseAcid(_, "Writing a stream", StreamWrite))
    case _: AcidWriteCommand             => // children that the analyzer still sees are checked by themselves
    case m: AcidMultiInsertCommand       => m.inserts.foreach(i => apply(i.changes))
    case d: AcidDdlCommand               => properties(d.command) // all else in it is Spark's own, under our locks
    case c: RunnableCommand              => command(c)
    case c: DataWritingCommand           => writing(c)
    // these three become ours; what is seen here is Spark's check of the user's node
    case DeleteFromTable(AcidRelation.Target(_), _) =>
    case UpdateTable(AcidRelation.Target(_), _, _)  =>
    case m: MergeIntoTable if isOurs(m.targetTable) =>
    case d: DeleteFromTable                         => dml(d.table, "DELETE")
    case u: UpdateTable                             => dml(u.table, "UPDATE")
    case m: MergeIntoTable                          => dml(m.targetTable, "MERGE")
    case w: V2WriteCommand                          => dml(w.table, w.nodeName)
    // named by an expression (IDENTIFIER), so that ResolveDataFrameWrites could not know the table
    case r: ReplaceTable         => ofCatalog(r.name, "REPLACE TABLE", Replacement)
    case r: ReplaceTableAsSelect => ofCatalog(r.name, "REPLACE TABLE AS SELECT", Replacement)
    // Spark's own are commands under our locks by now; this one, of another extension, would alter without them
    case a: AlterTableCommand => ofCatalog(a.table, s"ALTER TABLE (${a.nodeName})", ForeignAlteration)
    case _                    =>
  }

  private def isOurs(target: LogicalPlan) = AcidRelation.Target.unapply(target).isDefined

  private def dml(target: LogicalPlan, operation: String): Unit = target match {
    case AcidRelation.Target(l) => refuse(l.catalogTable.get, operation, SparkCommand)
    case AcidRelation(table)    => refuse(table, operation, SparkCommand)
    case other                  => readBy(other).foreach(refuseRead(other, _, operation))
  }

  private def refuseRead(target: LogicalPlan, table: CatalogTable, operation: String): Nothing =
    if (target.exists(_.isInstanceOf[View])) refuse(table, operation, ThroughView)
    else
      ForeignNode
        .of(target)
        .fold[Nothing](refuse(table, operation, SparkCommand))(
          _.refuse("HIVE_ACID_FOREIGN_NODE.TARGET", operation, table)
        )

  private def readBy(plan: LogicalPlan): Option[CatalogTable] =
    plan.collectFirst { case l: LogicalRelation if AcidRelation.isOurs(l) => l.catalogTable.get }

  private def ofCatalog(name: LogicalPlan, operation: String, refusal: Refusal): Unit = {
    def check(catalog: CatalogPlugin, id: Identifier): Unit = {
      val parts = catalog.name +: id.namespace.toSeq :+ id.name
      SparkAccess.sessionIdentifier(session, parts).foreach(named(_, operation, refusal))
    }
    name match {
      case ResolvedIdentifier(catalog, id)  => check(catalog, id)
      case ResolvedTable(catalog, id, _, _) => check(catalog, id)
      case _                                =>
    }
  }

  private def writing(c: DataWritingCommand): Unit = c match {
    case i: InsertIntoHadoopFsRelationCommand => i.catalogTable.foreach(insertion)
    case i: InsertIntoHiveTable               => insertion(i.table)
    case _                                    =>
  }

  /** The table may have become transactional since its description was read: a temporary view keeps that. */
  private def insertion(t: CatalogTable): Unit = {
    refuseAcid(t, "INSERT", SparkCommand)
    named(t.identifier, "INSERT", StalePlan)
  }

  private def command(c: RunnableCommand): Unit = c match {
    case t: TruncateTableCommand                 => named(t.tableName, "TRUNCATE TABLE", SparkCommand)
    case l: LoadDataCommand                      => named(l.table, "LOAD DATA", LoadData)
    case a: AlterTableSetLocationCommand         => named(a.tableName, "ALTER TABLE … SET LOCATION", SetLocation)
    case a: AlterTableSerDePropertiesCommand     => named(a.tableName, "ALTER TABLE … SET SERDE", SetSerde)
    case r: RepairTableCommand                   => named(r.tableName, "MSCK REPAIR TABLE", Repair)
    case i: InsertIntoDataSourceCommand          => check(i.logicalRelation)
    case c: CreateDataSourceTableAsSelectCommand => creation(c.table, "CREATE TABLE … AS SELECT")
    case c: CreateHiveTableAsSelectCommand       => creation(c.tableDesc, "CREATE TABLE … AS SELECT")
    case a: AlterTableSetPropertiesCommand if AcidTable.setsTransactional(a.properties) => dataSource(a.tableName)
    case c: CreateDataSourceTableCommand => refuseNew(c.table, "CREATE TABLE … USING")
    case other                           =>
      SparkLineNodes
        .saveAsTable(other)
        .flatMap(s => SessionTables.findTable(session, s.table.identifier))
        .foreach(refuse(_, "saveAsTable", SparkCommand))
  }

  private def properties(c: RunnableCommand): Unit = c match {
    case FixedProperty(table, key) if key.equalsIgnoreCase(AcidTable.ClusteringColumns) =>
      refuse(table, "ALTER TABLE … CLUSTER BY", Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CLUSTER_BY"))
    case FixedProperty(table, key) =>
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.TABLE_PROPERTY", Map("key" -> key))
      refuse(table, "ALTER TABLE … TBLPROPERTIES", refusal)
    case AlterTableSetPropertiesCommand(id, properties, _) if AcidTable.setsExternal(properties) =>
      SessionTables.find(session, id).foreach(refuse(_, "ALTER TABLE … TBLPROPERTIES", External))
    case _ =>
  }

  /** A property that says how the files of a transactional table are to be read, in a statement that changes it. */
  private object FixedProperty {
    private val keys = Set("transactional", "transactional_properties", "bucketing_version", "storage_handler") +
      AcidTable.ClusteringColumns.toLowerCase(Locale.ROOT)

    def unapply(c: RunnableCommand): Option[(CatalogTable, String)] = c match {
      case AlterTableSetPropertiesCommand(id, properties, _) =>
        find(id, properties.filterNot(property => AcidTable.setsTransactional(Map(property))).keys)
      case AlterTableUnsetPropertiesCommand(id, names, _, _) => find(id, names)
      case _                                                 => None
    }

    private def find(id: TableIdentifier, names: Iterable[String]): Option[(CatalogTable, String)] = for {
      key <- names.find(name => keys(name.toLowerCase(Locale.ROOT)))
      table <- SessionTables.find(session, id)
    } yield (table, key)
  }

  private def creation(t: CatalogTable, operation: String): Unit = {
    named(t.identifier, operation, TableExists)
    refuseNew(t, operation)
  }

  /** An option means the property, also where it was not taken for it: by a name that was computed after the options.
    */
  private def refuseNew(t: CatalogTable, operation: String): Unit =
    if (AcidTable.isTransactional(t) || AcidTable.setsTransactional(t.storage.properties))
      refuse(t, operation, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE"))

  /** Hive does not know tables of Spark's own data sources, and Spark keeps what it knows of them per session. */
  private def dataSource(id: TableIdentifier): Unit = {
    val catalog = session.sessionState.catalog
    val provider = if (catalog.tableExists(id)) catalog.getTableMetadata(id).provider else None
    if (provider.exists(!_.equalsIgnoreCase("hive"))) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE")
      throw AcidException.unsupported("SET TBLPROPERTIES ('transactional')", id.unquotedString, refusal)
    }
  }

  private def named(id: TableIdentifier, operation: String, refusal: Refusal): Unit =
    SessionTables.find(session, id).foreach(refuse(_, operation, refusal))

  private def refuseAcid(t: CatalogTable, operation: String, refusal: Refusal): Unit =
    if (AcidTable.isTransactional(t)) refuse(t, operation, refusal)

  private def refuse(t: CatalogTable, operation: String, refusal: Refusal): Nothing =
    AcidTable.refuse(operation, t, refusal)
}

private object GuardRefusals {
  val SparkReader = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SPARK_READER")
  val External = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.EXTERNAL")
  val StreamRead = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.STREAM_READ")
  val StreamWrite = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.STREAM_WRITE")
  val SparkCommand = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SPARK_COMMAND")
  val ThroughView = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.THROUGH_VIEW")
  val Replacement = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_TABLE")
  val ForeignAlteration = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.FOREIGN_ALTERATION")
  val Dropping = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.DROPS_TABLE")
  val StalePlan = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.STALE_PLAN")
  val LoadData = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.LOAD_DATA")
  val SetLocation = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SET_LOCATION")
  val SetSerde = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SET_SERDE")
  val Repair = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPAIR")
  val TableExists = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.TABLE_EXISTS")
}
