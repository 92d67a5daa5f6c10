package org.apache.spark.sql.hiveacid

import org.apache.spark.{MapOutputTrackerMaster, SparkContext, SparkEnv}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceConstantMetadataAttribute}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.errors.QueryExecutionErrors
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** Members of Spark that rows need and that are public in bytecode but `private[sql]` or `private[spark]` to the
  * compiler, hence the package. They are the same in all lines.
  */
object RowAccess {

  /** private[spark]; the schema with NULL allowed everywhere, in nested values too. */
  def nullable(schema: StructType): StructType = schema.asNullable

  /** The table as it is read: any column may be NULL, also one that Spark knows as NOT NULL. */
  def withNulls(table: CatalogTable): CatalogTable = table.copy(schema = nullable(table.schema))

  /** private[spark]; the property of this thread in the application, null if there is none of either. */
  def localProperty(key: String): String = SparkContext.getActive.map(_.getLocalProperty(key)).orNull

  /** private[spark]; how many bytes each map task sent to a partition of a shuffle that was written, about; 0 where its
    * output is lost.
    */
  def bytesByMap(exchange: ShuffleExchangeExec, partition: Int): Array[Long] = {
    val tracker = SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]
    tracker.shuffleStatuses(exchange.shuffleDependency.shuffleId).withMapStatuses { statuses =>
      statuses.map(status => if (status == null) 0L else status.getSizeForBlock(partition))
    }
  }

  /** private[sql]; two source rows change one row of the target. */
  def mergeCardinalityViolation: Throwable = QueryExecutionErrors.mergeCardinalityViolationError()

  /** protected[sql]; the filters of a scan as it hands them to its reader: without those on what Spark knows of a file
    * (FileSourceScanLike).
    */
  def pushedFilters(dataFilters: Seq[Expression]): Seq[Filter] = dataFilters
    .filterNot(_.references.exists {
      case FileSourceConstantMetadataAttribute(_) => true
      case _                                      => false
    })
    .flatMap(DataSourceStrategy.translateFilter(_, supportNestedPredicatePushdown = false))

  /** private[sql]; a plan becomes a DataFrame in no public way, and a command is run by becoming one. */
  def frame(session: SparkSession, plan: LogicalPlan): DataFrame = Dataset.ofRows(session, plan)
}
