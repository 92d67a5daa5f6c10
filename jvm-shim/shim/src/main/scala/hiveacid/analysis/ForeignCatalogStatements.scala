package hiveacid.analysis

import hiveacid.analysis.ForeignNames.{Foreign, ForeignDatabase, ForeignTable}
import hiveacid.catalog.MetastoreTable
import hiveacid.commands.ShowForeignPartitionsCommand

import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.hiveacid.SparkLineStatements

/** Statements about a catalog with a metastore of its own. SHOW PARTITIONS is answered by the metastore: Spark asks a
  * table of a catalog to manage partitions in all ways, or in none. The others end in Spark without a name, as a class
  * that cannot be cast, a plan that cannot be made or a text alone. After Spark's own resolution rules, before its
  * check of the plan.
  */
object ForeignCatalogStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case ShowPartitions(ResolvedTable(_, _, table: MetastoreTable, _), spec, output) =>
      val values = spec.collect { case UnresolvedPartitionSpec(texts, _) => texts }
      ShowForeignPartitionsCommand(table.description, values.getOrElse(Map.empty), output)
    case view: CreateView =>
      Foreign.unapply(view.child).foreach { case (catalog, id) => catalog.refuse("CREATE VIEW", id) }
      view
    case AnalyzeTables(ForeignDatabase(catalog, id), _)        => catalog.refuse("ANALYZE TABLES", id)
    case CreateIndex(ForeignTable(catalog, id), _, _, _, _, _) => catalog.refuse("CREATE INDEX", id)
    case DropIndex(ForeignTable(catalog, id), _, _)            => catalog.refuse("DROP INDEX", id)
    case like @ SparkLineStatements.CreationLike(_, _, _)      =>
      like.children.foreach {
        case Foreign(catalog, id)      => catalog.refuse("CREATE TABLE … LIKE", id)
        case ForeignTable(catalog, id) => catalog.refuse("CREATE TABLE … LIKE", id)
        case _                         =>
      }
      like
  }
}
