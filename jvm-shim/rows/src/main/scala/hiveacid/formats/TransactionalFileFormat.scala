package hiveacid.formats

import hiveacid.errors.AcidException
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.mapreduce.Job

import org.apache.spark.sql.{SparkSession => ApiSession}
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

/** A reader of ours, by which a relation of Spark's file sources is known to be a transactional table. */
trait TransactionalFileFormat extends FileFormat {

  /** `db.table`, for errors. */
  def table: String

  /** The same for another use of the values, if that makes a difference. */
  def usedFor(use: ValueUse): TransactionalFileFormat = this

  /** Two readers of one class and one key give the same rows: Spark caches a plan by it, and uses it again. */
  protected def readerKey: Any

  final override def hashCode(): Int = readerKey.hashCode
  final override def equals(other: Any): Boolean = other match {
    case f: TransactionalFileFormat => f.getClass == getClass && f.readerKey == readerKey
    case _                          => false
  }

  override def inferSchema(s: ApiSession, o: Map[String, String], f: Seq[FileStatus]): Option[StructType] = None

  override def prepareWrite(s: ApiSession, job: Job, o: Map[String, String], d: StructType): OutputWriterFactory =
    throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"A plain file write into $table was planned"))
}
