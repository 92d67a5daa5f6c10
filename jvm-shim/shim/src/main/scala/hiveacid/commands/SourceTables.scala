package hiveacid.commands

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The tables that a query reads, each once; see [[hiveacid.plugins.TableStatement]]. */
object SourceTables {

  /** @param target
    *   whose own read does not count
    */
  def of(query: LogicalPlan, target: Option[TargetRead] = None): Seq[TableIdentifier] = query.collectWithSubqueries {
    case l: LogicalRelation if l.catalogTable.isDefined && !target.exists(_.isOf(l)) => l.catalogTable.get.identifier
    case h: HiveTableRelation                                                        => h.tableMeta.identifier
    case r: DataSourceV2Relation if r.identifier.isDefined                           =>
      TableIdentifier(r.identifier.get.name, r.identifier.get.namespace.lastOption, r.catalog.map(_.name))
  }.distinct
}
