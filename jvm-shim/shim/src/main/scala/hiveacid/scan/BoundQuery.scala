package hiveacid.scan

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OrderPreservingUnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.columnar.{InMemoryRelation, InMemoryTableScanExec}

/** A query is executed in one transaction of several statements, or in none.
  *
  * Spark keeps what a DataFrame has computed for the next time that it is collected: the list of its files, shuffled
  * rows, values of subqueries. Rows that a transaction has read must not be given back after it was rolled back, nor
  * may a transaction be given what was read before it, as the rows of a cache are. Nor may TIMESTAMPs be given to a
  * session in another time zone than the plan's. All are asked when the query is executed: Spark also plans what nobody
  * executes in this session, when it fills caches anew, and what is executed later, when it explains a plan.
  *
  * @param zones
  *   in which it reads TIMESTAMPs
  * @param cached
  *   a table whose rows a cache holds that it reads
  * @param rowIds
  *   the tables whose ROW__IDs it reads, by their files or out of a cache
  */
final class QueryBinding(
    val table: String,
    val zones: Seq[ReadZone],
    val query: QuerySnapshot,
    cached: Option[String],
    val rowIds: Set[String]
) extends Serializable {

  /** Refuses the query in this session, or in the transaction in which it is executed. */
  def check(session: SparkSession): Unit = {
    // a cache is filled in a clone of some session, and the queries that read it are asked
    if (!query.isOfCache) ReadZones.refuseOthers("Reading", zones, session.sessionState.conf.sessionLocalTimeZone)
    if (SessionTransactions.running(session.sparkContext).isDefined)
      cached.foreach(t => throw SessionTransactions.cacheRefusal(t))
    query.ensureExecutable(session, table)
  }

  /** The same as `check` where it cannot be told which transaction is running: refuses it when its own has ended. */
  def checkRunning(): Unit = query.ensureRunning(table)
}

/** The whole of a query that reads transactional tables. */
case class BoundQuery(child: LogicalPlan, binding: QueryBinding) extends OrderPreservingUnaryNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows
  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

case class BoundQueryExec(child: SparkPlan, binding: QueryBinding) extends UnaryExecNode {
  override def nodeName: String = "HiveAcid query"
  override def simpleString(maxFields: Int): String = nodeName
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def executeCollect(): Array[InternalRow] = checked(child.executeCollect())
  override def executeTake(n: Int): Array[InternalRow] = checked(child.executeTake(n))
  override def executeTail(n: Int): Array[InternalRow] = checked(child.executeTail(n))
  override def executeToIterator(): Iterator[InternalRow] = checked(child.executeToIterator())

  override protected def doExecute(): RDD[InternalRow] = checked(new BoundRows(child.execute(), binding))
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)

  private def checked[T](execute: => T): T = {
    binding.check(session)
    execute
  }
}

object BoundQueryExec {

  /** The bindings of the queries whose rows are in the caches that a plan reads. */
  def ofCaches(plan: LogicalPlan): Seq[QueryBinding] = plan.collectWithSubqueries { case c: InMemoryRelation =>
    bindings(c.cacheBuilder.cachedPlan)
  }.flatten

  private def bindings(plan: SparkPlan): Seq[QueryBinding] = plan match {
    case bound: BoundQueryExec           => Seq(bound.binding)
    case adaptive: AdaptiveSparkPlanExec => bindings(adaptive.inputPlan)
    case cache: InMemoryTableScanExec    => ofCaches(cache.relation)
    case other                           => other.children.flatMap(bindings)
  }
}

/** The rows of a query whose plan is asked for them once, and of which Spark then runs any number of jobs. */
final private class BoundRows(rows: RDD[InternalRow], binding: QueryBinding) extends RDD[InternalRow](rows) {
  override protected def getPartitions: Array[Partition] = rows.partitions
  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = rows.iterator(split, context)

  /** Asked for by the scheduler before each job, on a thread of its own. */
  override protected def getPreferredLocations(split: Partition): Seq[String] = {
    binding.checkRunning()
    rows.preferredLocations(split)
  }
}
