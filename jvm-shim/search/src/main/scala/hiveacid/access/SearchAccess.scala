package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hive.HiveUtils

/** Sessions beside those of users, by members of Spark that are `private[sql]` to the compiler and the same in all
  * lines.
  */
object SearchAccess {

  /** private[sql]; a session beside this one with its settings, functions and temporary views of now. Spark knows which
    * settings of Hive can be set once their object is there.
    */
  def beside(session: SparkSession): SparkSession = {
    require(HiveUtils.CONVERT_METASTORE_ORC.key.nonEmpty)
    session.cloneSession()
  }

  /** private[sql]; what Spark asks the thread's active session for is asked of this one meanwhile. */
  def within[T](session: SparkSession)(body: => T): T = session.withActive(body)
}
