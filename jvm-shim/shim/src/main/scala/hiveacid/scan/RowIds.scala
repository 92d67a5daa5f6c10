package hiveacid.scan

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.orc.AcidOrcFileFormat
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** The tables whose ROW__IDs a plan reads.
  *
  * A rebalance, by any session or engine, gives the IDs of rows to other rows, and no list of write IDs tells it. So
  * IDs out of a cache are not met with those that are read now.
  */
object RowIds {

  /** The tables whose IDs a plan reads, as `database.table`. */
  def read(plan: LogicalPlan): Set[String] = {
    val relations = plan.collectWithSubqueries { case l: LogicalRelation if AcidRelation.isOurs(l) => l }
    val withIds = relations.filter(_.output.exists(isRowId))
    if (withIds.isEmpty) Set.empty
    else {
      val used = plan.collectWithSubqueries { case node => node.references }.foldLeft(plan.outputSet)(_ ++ _)
      withIds.filter(_.output.exists(a => isRowId(a) && used.contains(a))).map(nameOf).toSet
    }
  }

  /** Refuses a plan that reads those of a table by its files and out of a cache.
    *
    * @param operation
    *   for messages
    */
  def refuseCached(operation: => String, plan: LogicalPlan): Unit = {
    val cached = BoundQueryExec.ofCaches(plan).flatMap(_.rowIds)
    if (cached.nonEmpty)
      read(plan).find(cached.contains).foreach { table =>
        throw AcidException.unsupported(operation, table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CACHED_ROW_IDS"))
      }
  }

  // no column of the table has that name
  def isRowId(attribute: Attribute): Boolean = attribute.name.equalsIgnoreCase(AcidOrcFileFormat.RowIdColumn)

  private def nameOf(l: LogicalRelation): String =
    l.catalogTable.fold("")(t => AcidTable.foreignCatalog(t).fold("")(_ + ".") + AcidTable.name(t))
}
