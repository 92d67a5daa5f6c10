package org.apache.spark.sql

/** The session and its Datasets by the names that they have had since 4.0, when those of Spark Connect came beside
  * them.
  */
package object classic {
  type SparkSession = org.apache.spark.sql.SparkSession
  val SparkSession: org.apache.spark.sql.SparkSession.type = org.apache.spark.sql.SparkSession
  type Dataset[T] = org.apache.spark.sql.Dataset[T]
  val Dataset: org.apache.spark.sql.Dataset.type = org.apache.spark.sql.Dataset
  type DataFrame = org.apache.spark.sql.DataFrame
}
