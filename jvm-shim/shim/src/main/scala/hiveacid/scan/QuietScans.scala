package hiveacid.scan

import scala.reflect.ClassTag
import scala.util.control.NonFatal

import hiveacid.errors.{AcidException, QuietLogs, QuietPaths, StorageFailure}
import hiveacid.formats.{ReadErrors, TransactionalFileFormat}
import hiveacid.values.AcidTable
import org.apache.hadoop.fs.Path

import org.apache.spark.{Partition, SparkThrowable, TaskContext, TaskKilledException}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.hive.hiveacid.HiveScan
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Scans of files in the queries of an erasure: their errors and logs tell no path and no value.
  *
  * Spark puts the path of a file into the error of whatever reads it (`FileScanRDD`, `HadoopRDD`), SerDes of Hive the
  * row that they cannot read, and the driver the folders that it cannot list.
  */
object QuietScans extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = Quieten

  private object Quieten extends Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = if (!QuietPaths.areKept) plan
    else
      plan.transformUp {
        case scan: FileSourceScanExec => QuietScanExec(scan, tableOf(scan), logsRows(scan.relation.fileFormat))
        case scan: SerdeScanExec      => QuietScanExec(scan, Some(AcidTable.name(scan.table)), logsRows = true)
        case HiveScan(scan)           => QuietScanExec(scan, None, logsRows = true)
        case QuietScanExec(known: QuietScanExec, _, _) => known
      }
  }

  private def logsRows(format: FileFormat) = format match {
    case _: TransactionalFileFormat | _: OrcFileFormat | _: ParquetFileFormat => false
    case _                                                                    => true
  }

  private def tableOf(scan: FileSourceScanExec) =
    Option(scan.relation.fileFormat).collect { case own: TransactionalFileFormat => own.table }
}

/** @param table
  *   the transactional table, None for one of plain Hive
  * @param logsRows
  *   whether its reader may write rows into logs
  */
case class QuietScanExec(child: SparkPlan, table: Option[String], logsRows: Boolean) extends UnaryExecNode {
  override def nodeName: String = "HiveAcid quiet scan"
  override def simpleString(maxFields: Int): String = nodeName
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def supportsColumnar: Boolean = child.supportsColumnar
  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override protected def doExecute(): RDD[InternalRow] = quiet(child.execute())
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = quiet(child.executeColumnar())
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)

  private def quiet[T: ClassTag](rows: => RDD[T]): RDD[T] = {
    val errors = new QuietErrors(table)
    QuietLogs.install() // in the driver, which plans and lists
    new QuietRows(errors(rows), errors, logsRows)
  }
}

final private class QuietRows[T: ClassTag](rows: RDD[T], errors: QuietErrors, logsRows: Boolean) extends RDD[T](rows) {
  override protected def getPartitions: Array[Partition] = errors(rows.partitions)
  override protected def getPreferredLocations(split: Partition): Seq[String] = errors(rows.preferredLocations(split))

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val inner = errors {
      if (!QuietLogs.install() && logsRows) throw QuietErrors.loud
      rows.iterator(split, context)
    }
    new Iterator[T] {
      override def hasNext: Boolean = errors(inner.hasNext)
      override def next(): T = errors(inner.next())
    }
  }
}

/** Errors of ours of what reads the files of a table, in place of whatever it has thrown. */
final private class QuietErrors(table: Option[String]) extends Serializable {
  import QuietErrors._

  def apply[T](body: => T): T = table.fold(guard(body))(ReadErrors(_).guard(Unknown)(unwrapped(body)))

  private def guard[T](body: => T): T =
    try unwrapped(body)
    catch {
      case e: AcidException                                                    => throw e
      case e: TaskKilledException                                              => throw e
      case NonFatal(e) if !Option(TaskContext.get()).exists(_.isInterrupted()) =>
        throw StorageFailure(Unknown, "reading", e)
    }
}

private object QuietErrors {
  private val CauseDepth = 20

  def loud: AcidException = AcidException("HIVE_ACID_ERASURE.LOUD_READER", Map.empty)

  /** Where its path would stand. */
  private val Unknown = new Path("/")

  /** With what Spark has wrapped: an error of ours that tells no path, or that of the storage or the reader. */
  private def unwrapped[T](body: => T): T =
    try body
    catch { case e: Exception => throw origin(e) }

  private def origin(e: Exception): Throwable = {
    val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).take(CauseDepth).toSeq
    causes.collectFirst { case own: AcidException => own }.getOrElse {
      causes.find(!_.isInstanceOf[SparkThrowable]).getOrElse(e)
    }
  }
}
