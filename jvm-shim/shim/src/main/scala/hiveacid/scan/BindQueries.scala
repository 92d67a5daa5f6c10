package hiveacid.scan

import hiveacid.values.AcidTable
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule

/** Every query that reads transactional tables, or what a cache holds of their rows, is bound to one `QuerySnapshot`,
  * and so is each of its scans. A scan that asks for ROW__ID knows it: the rows of files without ACID columns are
  * numbered for it, which takes a look at every such file.
  *
  * In the optimizer, which each execution of a query has passed once, and because the analysed plan of a DataFrame is
  * part of every DataFrame derived from it. A statement is executed once by itself, and the scans of one that writes
  * are bound to its snapshot.
  */
object BindQueries extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val caches = BoundQueryExec.ofCaches(plan)
    caches.foreach(_.query.fillCache())
    bound(scanned(plan), caches)
  }

  private def scanned(plan: LogicalPlan): LogicalPlan = {
    lazy val planned = QuerySnapshot.planned
    plan.transform { case scan @ AcidScan(l, fs, index) =>
      val isNew = index.token.isEmpty && index.query.isEmpty
      if (isNew) planned.foreach(_.meet(AcidFileIndex.tables(plan).map(AcidTable.key)))
      val found = index.copy(
        query = if (isNew) planned else index.query,
        withRowIds = index.withRowIds || l.output.exists(RowIds.isRowId)
      )
      if (found == index) scan else AcidScan(l, fs, found)
    }
  }

  private def bound(plan: LogicalPlan, caches: Seq[QueryBinding]): LogicalPlan = plan match {
    case _: BoundQuery | _: Subquery | _: Command => plan
    case _                                        =>
      val cached = caches.headOption.map(_.table)
      read(plan).orElse(cached).fold(plan) { table =>
        RowIds.refuseCached("A query", plan)
        val rowIds = RowIds.read(plan) ++ caches.flatMap(_.rowIds)
        val query = QuerySnapshot.planned.getOrElse(QuerySnapshot.fresh())
        BoundQuery(plan, new QueryBinding(table, ReadZones.of(plan), query, cached, rowIds))
      }
  }

  private def read(plan: LogicalPlan): Option[String] = plan
    .collectWithSubqueries { case AcidScan(l, _, index) if index.token.isEmpty => l.catalogTable.map(AcidTable.name) }
    .flatten
    .headOption
}
