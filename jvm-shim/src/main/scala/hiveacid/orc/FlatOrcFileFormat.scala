package hiveacid.orc

import hiveacid.{AcidException, TransactionalFileFormat}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.Job

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{OutputWriterFactory, PartitionedFile}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, StructType}

/** Reads the ORC files of an insert-only table, which hold the table's columns alone, with the same values as in a full
  * ACID table: Spark's own reader takes their timestamps for clocks of the JVM's time zone.
  *
  * @param timeZone
  *   the session's when the query was planned
  */
class FlatOrcFileFormat(val table: String, val timeZone: String) extends OrcFileFormat with TransactionalFileFormat {
  override def toString: String = "HiveORC"
  override def shortName(): String = "hive-insert-only-orc"
  override def hashCode(): Int = (table, timeZone).hashCode
  override def equals(other: Any): Boolean = other match {
    case f: FlatOrcFileFormat => f.table == table && f.timeZone == timeZone
    case _                    => false
  }

  override def inferSchema(s: SparkSession, o: Map[String, String], f: Seq[FileStatus]): Option[StructType] = None
  override def isSplitable(s: SparkSession, options: Map[String, String], path: Path): Boolean = true
  override def supportDataType(t: DataType): Boolean = TypeMapping.isSupported(t)
  override def supportBatch(s: SparkSession, schema: StructType): Boolean = TypeMapping.isSupported(schema)

  override def prepareWrite(s: SparkSession, job: Job, o: Map[String, String], d: StructType): OutputWriterFactory =
    throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"A plain file write into $table was planned"))

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    val sqlConf = session.sessionState.conf
    val capacity = sqlConf.getConf(SQLConf.ORC_VECTORIZED_READER_BATCH_SIZE)
    val pushed = if (sqlConf.getConf(SQLConf.ORC_FILTER_PUSHDOWN_ENABLED)) filters else Nil
    val (writesBack, isFlat) = (false, true)
    val request = ScanRequest(
      table,
      timeZone,
      dataSchema,
      requiredSchema,
      partitionSchema,
      pushed,
      capacity,
      writesBack,
      isFlat
    )
    AcidOrcFileFormat.scan(session, request, options, hadoopConf)
  }
}
