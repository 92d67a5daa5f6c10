package hiveacid.scan

import hiveacid.values.AcidTable
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** Every query that reads transactional tables, or what a cache holds of their rows, is bound.
  *
  * In the optimizer, which each execution of a query has passed once. A statement is executed once by itself, and the
  * scans of one that writes are bound to its snapshot.
  */
object BindQueries extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val caches = BoundQueryExec.ofCaches(plan)
    caches.foreach(_.fillCache())
    bound(plan, caches.headOption.map(_.table))
  }

  private def bound(plan: LogicalPlan, cached: Option[String]): LogicalPlan = plan match {
    case _: BoundQuery | _: Subquery | _: Command => plan
    case _                                        =>
      read(plan).orElse(cached).fold(plan) { table =>
        RowIds.refuseCached("A query", plan)
        val rowIds = RowIds.read(plan) ++ BoundQueryExec.ofCaches(plan).flatMap(_.rowIds)
        BoundQuery(plan, new QueryBinding(table, ReadZones.of(plan), QueryKeys.current, cached, rowIds))
      }
  }

  private def read(plan: LogicalPlan): Option[String] = plan
    .collectWithSubqueries {
      case RelationOfFiles(l, fs) if AcidRelation.isOurs(l) =>
        val index = fs.location.asInstanceOf[AcidFileIndex]
        if (index.token.isEmpty) l.catalogTable.map(AcidTable.name) else None
    }
    .flatten
    .headOption
}
