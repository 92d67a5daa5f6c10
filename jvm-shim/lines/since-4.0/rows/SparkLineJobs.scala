package org.apache.spark.sql.hiveacid

import scala.concurrent.Future

import org.apache.spark.{MapOutputStatistics, SparkThrowable}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** Jobs and their errors as they are since 4.0. */
object SparkLineJobs {

  /** Begins to shuffle; null if there is no input at all. */
  def submitShuffle(exchange: ShuffleExchangeExec): Future[MapOutputStatistics] = exchange.submitShuffleJob()

  /** The name of Spark's condition. */
  def condition(error: SparkThrowable): String = error.getCondition
}
