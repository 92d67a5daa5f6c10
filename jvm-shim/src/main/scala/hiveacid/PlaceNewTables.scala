package hiveacid

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.CreateTableCommand

/** New transactional tables lie where the metastore keeps such tables. Spark puts every table below its database's
  * location, and a metastore with a warehouse for external tables refuses that.
  */
case class PlaceNewTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c @ CreateTableCommand(table, _) if isUnplaced(table) =>
      location(table).fold(c)(uri => c.copy(table = table.copy(storage = table.storage.copy(locationUri = Some(uri)))))
  }

  private def isUnplaced(table: CatalogTable) =
    table.tableType == CatalogTableType.MANAGED && table.storage.locationUri.isEmpty && AcidTables.isTransactional(
      table
    )

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
