package hiveacid

import java.util.WeakHashMap
import java.util.concurrent.atomic.AtomicLong

import hiveacid.orc.AcidOrcFileFormat

import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** Scans that run outside of any execution, as those of `df.rdd` do: the scans of one query share a snapshot there too.
  * Each gets the negative key of its query, in the optimizer, because the analysed plan of a DataFrame is part of every
  * DataFrame derived from it.
  */
object LooseScans extends Rule[LogicalPlan] {
  private val counter = new AtomicLong
  private val keys = new WeakHashMap[QueryPlanningTracker, Long]

  /** A key that no other query has. */
  def newKey(): Long = -counter.incrementAndGet()

  override def apply(plan: LogicalPlan): LogicalPlan = QueryPlanningTracker.get.fold(plan) { tracker =>
    plan.transform {
      case l @ LogicalRelation(fs: HadoopFsRelation, _, _, _, _) if hasNoKey(fs) =>
        val index = fs.location.asInstanceOf[AcidFileIndex].ofQuery(keyOf(tracker))
        l.copy(relation = fs.copy(location = index)(fs.sparkSession))
    }
  }

  private def hasNoKey(fs: HadoopFsRelation) = fs.location match {
    case i: AcidFileIndex => i.token.isEmpty && i.queryKey.isEmpty
    case _                => false
  }

  /** Each query has a tracker of its own, under which its subqueries are planned too. */
  private def keyOf(tracker: QueryPlanningTracker): Long =
    keys.synchronized(keys.computeIfAbsent(tracker, _ => newKey()))
}

/** Scans that ask for ROW__ID. The rows of files without ACID columns are numbered for them, which takes a look at
  * every such file; all others do without.
  */
object NumberedScans extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case l @ LogicalRelation(fs: HadoopFsRelation, output, _, _, _) if isUnnumbered(fs) && output.exists(isRowId) =>
      val index = fs.location.asInstanceOf[AcidFileIndex].ofRowIds
      l.copy(relation = fs.copy(location = index)(fs.sparkSession))
  }

  private def isUnnumbered(fs: HadoopFsRelation) = fs.location match {
    case i: AcidFileIndex => !i.withRowIds
    case _                => false
  }

  // no column of the table has that name
  private def isRowId(attribute: AttributeReference) = attribute.name.equalsIgnoreCase(AcidOrcFileFormat.RowIdColumn)
}
