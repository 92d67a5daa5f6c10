package hiveacid

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper

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
  private val HashProperty = "bucketing_version"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c @ CreateTableCommand(table, _) if AcidTables.isTransactional(table) =>
      AcidTables.refuseSorted("CREATE TABLE", table)
      c.copy(table = placed(hashed(table)))
  }

  private def hashed(table: CatalogTable) =
    if (table.bucketSpec.isEmpty || table.properties.keys.exists(_.equalsIgnoreCase(HashProperty))) table
    else table.copy(properties = table.properties + (HashProperty -> "2"))

  private def placed(table: CatalogTable) =
    if (table.tableType != CatalogTableType.MANAGED || table.storage.locationUri.isDefined) table
    else location(table).fold(table)(uri => table.copy(storage = table.storage.copy(locationUri = Some(uri))))

  private def location(table: CatalogTable) = {
    val database = table.identifier.database.getOrElse(session.sessionState.catalog.getCurrentDatabase)
    val name = s"$database.${table.identifier.table}".toLowerCase(Locale.ROOT)
    val answer = Bridge.registered.map(planner => Bridge.text(planner.newTableLocation(name)))
    answer
      .map(new ObjectMapper().readTree(_))
      .filterNot(_.isNull)
      .map(path => CatalogUtils.stringToURI(path.asText))
  }
}
