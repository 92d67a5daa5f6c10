package hiveacid.write

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import hiveacid.values.InsertKind

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  LeafExecNode,
  PartialReducerPartitionSpec,
  ShufflePartitionSpec,
  SortExec,
  SparkPlan
}
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.hiveacid.{SparkLineJobs, SparkLineShuffles, RowAccess}
import org.apache.spark.sql.internal.SQLConf

/** The input of the write tasks: `pieces(i)` is the piece (see [[WriteTask]]) of the task of partition `i` of `rows`,
  * and `areSmall(i)` whether it is known to write little.
  */
final case class WriteInput(rows: RDD[InternalRow], pieces: Array[Int], areSmall: Array[Boolean])

object WriteInput {

  /** A bucket is split for the sake of the cores only if each of its tasks has at least this part of Spark's advisory
    * size to write: every piece is a folder that readers open and compaction merges.
    */
  private val LeastPart = 8

  /** A core that is done with a task of whole buckets early finds another one. */
  private val TasksPerCore = 4

  /** Up to these a task writes little. */
  private val SmallBytes = 4L << 20
  private val FewRows = 10000L

  /** The rows as they come, one piece per task; sorted within each task if there is an order.
    *
    * @param maxRows
    *   how many rows there are at most, if that is known
    */
  def direct(plan: SparkPlan, order: Seq[SortOrder], spec: CheckedSpec, maxRows: Option[Long]): WriteInput = {
    val produced = plan.execute()
    // a task of its own needs a bucket and statement ID of its own
    val rows = if (produced.getNumPartitions > spec.maxPieces) produced.coalesce(spec.maxPieces) else produced
    val sorted = if (order.isEmpty) rows else sort(order, Rows(plan.output, rows))
    val tasks = rows.getNumPartitions
    WriteInput(sorted, Array.range(0, tasks), Array.fill(tasks)(maxRows.exists(_ <= FewRows)))
  }

  /** The rows shuffled so that those of one bucket are in one task, or, if they are too many, in several with a piece
    * each. How many tasks there are follows from the sizes that the shuffle turned out to have; they are fixed by then,
    * and no rule of adaptive execution comes after.
    */
  def shuffled(session: SparkSession, plan: SparkPlan, changes: RowChanges, spec: CheckedSpec): WriteInput = {
    val produced = Rows(plan.output, plan.execute())
    // new rows need not meet; where few tasks send them, only their values can spread a bucket over the cores
    val byMaps = spec.kind == InsertKind && produced.rdd.getNumPartitions >= spec.spread.cores
    val spread = TaskShares.of(spec.spread.victimBuckets, spec.spread.cores, spec.maxPieces, byMaps)
    val partitioning = SparkLineShuffles.placing(changes.shuffleTo(spread, plan.output), spread.partitions)
    val exchange = ShuffleExchangeExec(partitioning, SparkLineShuffles.input(produced), REPARTITION_BY_NUM)
    // null if there is no input at all
    val sizes = Option(Await.result(SparkLineJobs.submitShuffle(exchange), Duration.Inf)).map(_.bytesByPartitionId)
    val bytes = sizes.getOrElse(new Array[Long](spread.partitions))
    val (target, together) = targets(session, bytes.sum, spec)
    val sent: Option[Int => Array[Long]] = if (byMaps) Some(RowAccess.bytesByMap(exchange, _)) else None
    val shares = spread.shares(bytes, target, together, sent)
    val rows = Rows(plan.output, exchange.getShuffleRDD(shares.map(specOf).toArray))
    val areSmall = shares.map(share => bytes.slice(share.from, share.until).sum < SmallBytes)
    WriteInput(sort(changes.order(plan.output), rows), shares.map(_.piece).toArray, areSmall.toArray)
  }

  /** About how many bytes a part of a bucket has, and whole buckets that share a task. */
  private def targets(session: SparkSession, total: Long, spec: CheckedSpec): (Long, Long) = {
    val advisory = session.sessionState.conf.getConf(SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES)
    val least = advisory / LeastPart
    def ofCore(least: Long, tasks: Int) = math.max(1L, math.max(least, total / (spec.spread.cores.toLong * tasks)))
    (ofCore(if (spec.kind == InsertKind) advisory else least, 1), ofCore(least, TasksPerCore))
  }

  private def specOf(share: Share): ShufflePartitionSpec = share.maps match {
    case Some((from, until)) => PartialReducerPartitionSpec(share.from, from, until, 0)
    case None                => CoalescedPartitionSpec(share.from, share.until)
  }

  private def sort(order: Seq[SortOrder], rows: SparkPlan): RDD[InternalRow] =
    SortExec(order, global = false, rows).execute()
}

/** An RDD as a plan. */
private case class Rows(output: Seq[Attribute], rdd: RDD[InternalRow]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = rdd
}
