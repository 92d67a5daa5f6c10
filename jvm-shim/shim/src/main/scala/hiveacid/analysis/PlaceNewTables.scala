package hiveacid.analysis

import java.net.URI

import hiveacid.catalog.NewTables
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.errors.Refusal
import hiveacid.python.PythonSide

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.GeneratedColumn
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

  private def placed(table: CatalogTable): CatalogTable = {
    val ofClause = table.properties.get(PlaceNewTables.Location).map(CatalogUtils.stringToURI)
    val given = ofClause.orElse(table.storage.locationUri)
    location(table, given).orElse(given).fold(table) { uri =>
      val storage = table.storage.copy(locationUri = Some(uri))
      table.copy(storage = storage, properties = table.properties - PlaceNewTables.Location)
    }
  }

  /** None for the one that is given, else for where Spark puts it. */
  private def location(table: CatalogTable, given: Option[URI]): Option[URI] = {
    val catalog = session.sessionState.catalog
    val id = catalog.qualifyIdentifier(table.identifier)
    val usual = Some(catalog.defaultTablePath(id).toString)
    PythonSide
      .reachable(session)
      .flatMap(NewTables.ask(_, table.copy(identifier = id), given.map(_.toString), usual))
      .map(CatalogUtils.stringToURI)
  }
}

object PlaceNewTables {

  /** The property by which [[KeepLocations]] hands on where a table is to lie. */
  val Location = "hiveacid.location"

  /** Refuses a new transactional table of which Spark would lose something, or whose rows nobody here could read. */
  def refuse(table: CatalogTable): Unit = {
    lostClause(table).foreach { clause =>
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.LOST_CLAUSE", Map("clause" -> clause))
      AcidTable.refuse("CREATE TABLE", table, refusal)
    }
    if (!AcidTable.isInsertOnly(table)) AcidRelation.formatOf("CREATE TABLE", table)
  }

  /** A clause that Spark takes and does nothing with for tables of Hive. */
  private def lostClause(table: CatalogTable): Option[String] =
    if (table.properties.contains(AcidTable.ClusteringColumns)) Some("CLUSTER BY")
    else if (table.schema.exists(_.metadata.contains("identity.start"))) Some("GENERATED … AS IDENTITY") // since 4.0
    else if (GeneratedColumn.hasGeneratedColumns(table.schema)) Some("GENERATED ALWAYS AS")
    else None
}
