package org.apache.spark.sql.hiveacid

import org.apache.spark.rdd.{DeterministicLevel, MapPartitionsRDD, RDD}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** How a write's rows are shuffled. A map task that runs again may give other rows than before: a function has random
  * results, a source is read in another order.
  *
  * Before 4.1 Spark has no checksums by which it could notice. So every map task of a write counts as one that gives
  * other rows: if the output of one is lost, Spark runs all tasks of its stage and of those after it again from the
  * start, or fails the job if a write task has ended.
  */
object SparkLineShuffles {
  private val InWrite = "hiveacid.write"

  /** The setting without which a write is not begun: none. */
  def uncheckedBy(session: SparkSession): Option[String] = None

  /** Each row to the partition whose number `partition` gives. */
  def placing(partition: Expression, partitions: Int): Partitioning = new Placing(Seq(partition), partitions)

  /** The plan as the input of a write's shuffle. */
  def input(plan: SparkPlan): SparkPlan = Uncertain(plan)

  /** Runs `body`, in which the shuffles of a write are planned and run. */
  def ofWrite[T](session: SparkSession)(body: => T): T = {
    val context = session.sparkContext
    val before = context.getLocalProperty(InWrite)
    context.setLocalProperty(InWrite, "true")
    try body
    finally context.setLocalProperty(InWrite, before)
  }

  /** Gives a session what it needs for that: a rule that sees each shuffle before it is run, with adaptive execution or
    * without.
    */
  def install(extensions: SparkSessionExtensions): Unit = extensions.injectColumnar { session =>
    new ColumnarRule {
      override def preColumnarTransitions: Rule[SparkPlan] = plan =>
        if (session.sparkContext.getLocalProperty(InWrite) == null) plan
        else
          plan.transformUp {
            case s: ShuffleExchangeExec if !s.child.isInstanceOf[Uncertain] => s.copy(child = Uncertain(s.child))
          }
    }
  }
}

/** Spark's partitioning by the hash of an expression, with the expression's value in place of the hash. */
private class Placing(partition: Seq[Expression], partitions: Int) extends HashPartitioning(partition, partitions) {
  override def partitionIdExpression: Expression = expressions.head
  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): HashPartitioning =
    new Placing(changed, partitions)
}

/** The rows of a plan, of which Spark takes it that another run gives others. */
private case class Uncertain(child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override protected def doExecute(): RDD[InternalRow] = new UncertainRows(child.execute())
  override protected def withNewChildInternal(changed: SparkPlan): Uncertain = copy(child = changed)
}

private class UncertainRows(rows: RDD[InternalRow])
    extends MapPartitionsRDD[InternalRow, InternalRow](
      rows,
      (_, _, iterator) => iterator,
      preservesPartitioning = true
    ) {
  override protected def getOutputDeterministicLevel: DeterministicLevel.Value = DeterministicLevel.INDETERMINATE
}
