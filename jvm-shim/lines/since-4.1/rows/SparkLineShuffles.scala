package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.{DirectShufflePartitionID, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, ShufflePartitionIdPassThrough}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan

/** How a write's rows are shuffled. A map task that runs again may give other rows than before: a function has random
  * results, a source is read in another order.
  *
  * Since 4.1 Spark notices by checksums, and runs all tasks that read them again, or fails the job if one of them has
  * written its files. The setting is true by default since 4.2.
  */
object SparkLineShuffles {
  private val ShuffleCheck = "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch"

  /** The setting without which a write is not begun, if the session has it off. */
  def uncheckedBy(session: SparkSession): Option[String] =
    Some(ShuffleCheck).filterNot(session.conf.get(_).toBoolean)

  /** Each row to the partition whose number `partition` gives. */
  def placing(partition: Expression, partitions: Int): Partitioning =
    ShufflePartitionIdPassThrough(DirectShufflePartitionID(partition), partitions)

  /** The plan as the input of a write's shuffle. */
  def input(plan: SparkPlan): SparkPlan = plan

  /** Runs `body`, in which the shuffles of a write are planned and run. */
  def ofWrite[T](session: SparkSession)(body: => T): T = body

  /** Gives a session what it needs for that: nothing. */
  def install(extensions: SparkSessionExtensions): Unit = ()
}
