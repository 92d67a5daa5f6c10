package hiveacid.analysis

import hiveacid.analysis.OwnNames.{notDone, Own, OwnDatabase}
import hiveacid.catalog.MetastoreTable
import hiveacid.commands.ShowOwnPartitionsCommand

import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.plans.logical.{AnalyzeTables, CreateView, LogicalPlan, ShowPartitions}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.hiveacid.LineStatements

/** Statements about a catalog with a metastore of its own. SHOW PARTITIONS is answered by the metastore: Spark asks a
  * table of a catalog to manage partitions in all ways, or in none. The others end in Spark without a name, as a class
  * that cannot be cast or a plan that cannot be made. After Spark's own resolution rules, before its check of the plan.
  */
object OwnCatalogStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case ShowPartitions(ResolvedTable(_, _, table: MetastoreTable, _), spec, output) =>
      val values = spec.collect { case UnresolvedPartitionSpec(texts, _) => texts }
      ShowOwnPartitionsCommand(table.description, values.getOrElse(Map.empty), output)
    case view: CreateView =>
      Own.unapply(view.child).foreach { case (catalog, id) => notDone(catalog, id, "CREATE VIEW") }
      view
    case AnalyzeTables(OwnDatabase(catalog, id), _)          => notDone(catalog, id, "ANALYZE TABLES")
    case LineStatements.CreationLike(Own(catalog, id), _, _) => notDone(catalog, id, "CREATE TABLE … LIKE")
  }
}
