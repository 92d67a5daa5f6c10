package hiveacid.analysis

import java.util.Locale

import hiveacid.catalog.NewTables
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.python.PythonSide

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.CreateTableCommand

/** New transactional tables lie where the metastore keeps such tables. Spark puts every table below its database's
  * location, and a metastore with a warehouse for external tables refuses that. If they are bucketed, then by the hash
  * that Hive gives its own new tables; without the property it would be the one before Hive 3.
  */
case class PlaceNewTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c @ CreateTableCommand(table, _) if AcidTable.isTransactional(table) =>
      PlaceNewTables.refuse(table)
      c.copy(table = placed(NewTables.hashed(table)))
  }

  private def placed(table: CatalogTable): CatalogTable = table.properties.get(PlaceNewTables.Location) match {
    case Some(path) =>
      val storage = table.storage.copy(locationUri = Some(CatalogUtils.stringToURI(path)))
      table.copy(storage = storage, properties = table.properties - PlaceNewTables.Location)
    case None => placedByMetastore(table)
  }

  private def placedByMetastore(table: CatalogTable) =
    if (table.tableType != CatalogTableType.MANAGED || table.storage.locationUri.isDefined) table
    else location(table).fold(table)(uri => table.copy(storage = table.storage.copy(locationUri = Some(uri))))

  private def location(table: CatalogTable) = {
    val database = table.identifier.database.getOrElse(session.sessionState.catalog.getCurrentDatabase)
    val name = s"$database.${table.identifier.table}".toLowerCase(Locale.ROOT)
    PythonSide
      .reachable(session)
      .flatMap(planner => PythonSide.message[Option[String]](planner.newTableLocation(name)))
      .map(CatalogUtils.stringToURI)
  }
}

object PlaceNewTables {

  /** The property by which [[KeepLocations]] hands on where a table is to lie. */
  val Location = "hiveacid.location"

  /** Refuses a new transactional table that Hive would not take, or whose rows nobody here could read. */
  def refuse(table: CatalogTable): Unit = {
    if (table.tableType == CatalogTableType.EXTERNAL)
      throw AcidException.unsupported(
        "CREATE EXTERNAL TABLE",
        AcidTable.name(table),
        Refusal("HIVE_ACID_UNSUPPORTED_TABLE.EXTERNAL")
      )
    AcidRelation.refuseSorted("CREATE TABLE", table)
    if (!AcidTable.isInsertOnly(table)) AcidRelation.formatOf("CREATE TABLE", table)
  }
}
