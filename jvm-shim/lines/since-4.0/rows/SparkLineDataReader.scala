package org.apache.spark.sql.hiveacid

import org.apache.orc.DataReader

/** The members of ORC's reader that came with its release 2, which Spark has since 4.0. */
trait SparkLineDataReader extends DataReader {
  protected def inner: DataReader

  override def releaseAllBuffers(): Unit = inner.releaseAllBuffers()

  /** Public, as in ORC's interface: that of Object is not. */
  override def clone(): DataReader = this
}
