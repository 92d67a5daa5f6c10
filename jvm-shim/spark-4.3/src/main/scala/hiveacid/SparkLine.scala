package org.apache.spark.sql.hiveacid

import java.util.Properties

import org.apache.spark.SparkContext
import org.apache.spark.sql.{Column, SaveMode}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.command.SaveAsV1TableCommand
import org.apache.spark.sql.util.PartitioningUtils

/** What differs between Spark lines, and the few members of Spark that are public in bytecode but `private[sql]` or
  * `private[spark]` to the compiler (hence the package).
  */
object SparkLine {

  /** private[spark]; nothing public hands over all local properties (job group, tags, execution ID) to another thread.
    */
  def localProperties(sc: SparkContext): Properties = sc.getLocalProperties.clone().asInstanceOf[Properties]

  def setLocalProperties(sc: SparkContext, properties: Properties): Unit = sc.setLocalProperties(properties)

  /** private[sql]; the tag of all jobs that the session runs. */
  def sessionTag(session: SparkSession): String = session.sessionJobTag

  /** private[sql]; `saveAsTable` is this command since 4.1, and it drops the table before a later rule could see it. */
  def saveAsTable(plan: LogicalPlan): Option[(CatalogTable, SaveMode)] = plan match {
    case s: SaveAsV1TableCommand => Some((s.tableDesc, s.mode))
    case _                       => None
  }

  /** private[sql]; the partition columns by their own names, with Spark's error for a name that is none of them. */
  def normalizedPartition(session: SparkSession, table: CatalogTable, spec: TablePartitionSpec): TablePartitionSpec =
    PartitioningUtils
      .normalizePartitionSpec(spec, table.partitionSchema, table.qualifiedName, session.sessionState.conf.resolver)

  /** private[sql]; a plan becomes a DataFrame in no public way, and a command is run by becoming one. */
  def frame(session: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(session, plan)

  /** private[sql]; a column's tree can be had in no public way. Texts in it are parsed here, by the session's parser.
    */
  def expression(session: SparkSession, column: Column): Expression = session.expression(column)
}
