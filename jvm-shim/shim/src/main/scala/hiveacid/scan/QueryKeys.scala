package hiveacid.scan

import java.lang.ref.{Cleaner, WeakReference}
import java.util.WeakHashMap
import java.util.concurrent.atomic.AtomicLong

import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** Scans that run outside of any execution, as those of `df.rdd` do: the scans of one query share a snapshot there too.
  * Each gets the key of its query, in the optimizer, because the analysed plan of a DataFrame is part of every
  * DataFrame derived from it.
  */
object QueryKeys extends Rule[LogicalPlan] {
  private val counter = new AtomicLong
  private val keys = new WeakHashMap[QueryPlanningTracker, WeakReference[QueryKey]]
  private lazy val cleaner = Cleaner.create()

  /** Key of a file's constant metadata: the query for which it was listed, outside of executions. */
  val Key = "hiveacid.query"

  /** The key of the query that this thread is planning. */
  def current: QueryKey = QueryPlanningTracker.get.fold(newKey())(keyOf)

  /** Whether this is the query that is planned under the tracker. */
  def isOf(tracker: QueryPlanningTracker, key: QueryKey): Boolean =
    keys.synchronized(Option(keys.get(tracker)).exists(known => known.get eq key))

  /** A key that no other query has. */
  def newKey(): QueryKey = new QueryKey(-counter.incrementAndGet())

  /** A scan is about to open a snapshot under this key: it ends once nobody can read its files any more. */
  def started(key: QueryKey): Unit = {
    val number = key.number
    cleaner.register(key, () => ReadListener.ended(number))
  }

  override def apply(plan: LogicalPlan): LogicalPlan = QueryPlanningTracker.get.fold(plan) { tracker =>
    lazy val key = keyOf(tracker)
    plan.transform {
      case RelationOfFiles(l, fs) if hasNoKey(fs) =>
        key.meet(AcidFileIndex.tables(plan).map(AcidTable.key))
        val index = fs.location.asInstanceOf[AcidFileIndex].ofQuery(key)
        l.copy(relation = fs.copy(location = index)(fs.sparkSession))
    }
  }

  private def hasNoKey(fs: HadoopFsRelation) = fs.location match {
    case i: AcidFileIndex => i.token.isEmpty && i.queryKey.isEmpty
    case _                => false
  }

  /** Each query has a tracker of its own, under which its subqueries are planned too. */
  private def keyOf(tracker: QueryPlanningTracker): QueryKey = keys.synchronized {
    Option(keys.get(tracker)).flatMap(known => Option(known.get)).getOrElse {
      val key = newKey()
      keys.put(tracker, new WeakReference(key))
      key
    }
  }
}
