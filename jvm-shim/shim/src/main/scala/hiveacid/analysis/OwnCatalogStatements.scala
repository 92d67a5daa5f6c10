package hiveacid.analysis

import hiveacid.analysis.OwnNames.{notDone, Own, OwnDatabase, OwnTable}
import hiveacid.catalog.MetastoreTable
import hiveacid.commands.ShowOwnPartitionsCommand

import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.hiveacid.SparkLineStatements

/** Statements about a catalog with a metastore of its own. SHOW PARTITIONS is answered by the metastore: Spark asks a
  * table of a catalog to manage partitions in all ways, or in none. The others end in Spark without a name, as a class
  * that cannot be cast, a plan that cannot be made or a text alone. After Spark's own resolution rules, before its
  * check of the plan.
  */
object OwnCatalogStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case ShowPartitions(ResolvedTable(_, _, table: MetastoreTable, _), spec, output) =>
      val values = spec.collect { case UnresolvedPartitionSpec(texts, _) => texts }
      ShowOwnPartitionsCommand(table.description, values.getOrElse(Map.empty), output)
    case view: CreateView =>
      Own.unapply(view.child).foreach { case (catalog, id) => notDone(catalog, id, "CREATE VIEW") }
      view
    case AnalyzeTables(OwnDatabase(catalog, id), _)        => notDone(catalog, id, "ANALYZE TABLES")
    case CreateIndex(OwnTable(catalog, id), _, _, _, _, _) => notDone(catalog, id, "CREATE INDEX")
    case DropIndex(OwnTable(catalog, id), _, _)            => notDone(catalog, id, "DROP INDEX")
    case like @ SparkLineStatements.CreationLike(_, _, _)  =>
      like.children.foreach {
        case Own(catalog, id)      => notDone(catalog, id, "CREATE TABLE … LIKE")
        case OwnTable(catalog, id) => notDone(catalog, id, "CREATE TABLE … LIKE")
        case _                     =>
      }
      like
  }
}
