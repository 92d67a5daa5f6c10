package hiveacid.commands

import scala.util.control.NonFatal

import hiveacid.wire.StatementAnswer

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The numbers at the node of a statement in the SQL tab: rows by what became of them, files, bytes and times. */
object StatementMetrics extends Logging {

  /** The keys are the parts of [[hiveacid.wire.RowCounts]] and of [[hiveacid.wire.PhaseTimes]], `files` and `bytes`. */
  def create(): Map[String, SQLMetric] = {
    val context = SparkSession.active.sparkContext
    val rows =
      Seq("inserted", "updated", "deleted").map(name => name -> SQLMetrics.createMetric(context, s"rows $name"))
    val times = Seq(
      "snapshot" -> "snapshot time",
      "lockWait" -> "lock wait time",
      "write" -> "write time",
      "publish" -> "publish time",
      "commit" -> "commit time"
    ).map { case (phase, title) => phase -> SQLMetrics.createTimingMetric(context, title) }
    (rows ++ times).toMap ++ Map(
      "files" -> SQLMetrics.createMetric(context, "files written"),
      "bytes" -> SQLMetrics.createSizeMetric(context, "size of files written")
    )
  }

  /** Once the statement is committed, which no failure here may call in question. */
  def show(
      session: SparkSession,
      metrics: => Map[String, SQLMetric],
      answer: StatementAnswer,
      written: Seq[WrittenFiles]
  ): Unit =
    try {
      val (rows, times) = (answer.counts, answer.phases)
      val values = Map(
        "inserted" -> rows.inserted,
        "updated" -> rows.updated,
        "deleted" -> rows.deleted,
        "snapshot" -> times.snapshot,
        "lockWait" -> times.lockWait,
        "write" -> times.write,
        "publish" -> times.publish,
        "commit" -> times.commit,
        "files" -> written.map(_.files).sum,
        "bytes" -> written.map(_.bytes).sum
      )
      values.foreach { case (name, value) => metrics(name).set(value) }
      val context = session.sparkContext
      val execution = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
      SQLMetrics.postDriverMetricUpdates(context, execution, metrics.values.toSeq)
    } catch { case NonFatal(e) => logWarning("the numbers of a statement are not in the SQL tab", e) }
}
