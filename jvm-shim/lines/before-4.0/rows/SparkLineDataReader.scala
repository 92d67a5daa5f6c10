package org.apache.spark.sql.hiveacid

import org.apache.orc.DataReader

/** The members of ORC's reader that came with its release 2, which Spark has since 4.0: none. */
trait SparkLineDataReader extends DataReader {
  protected def inner: DataReader
}
