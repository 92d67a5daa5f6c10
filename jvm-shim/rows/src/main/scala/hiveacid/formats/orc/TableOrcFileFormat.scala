package hiveacid.formats.orc

import scala.jdk.CollectionConverters._

import hiveacid.formats.{ReaderOfParts, ReadErrors, ValueUse}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcConf

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.util.SerializableConfiguration

/** Reads ORC files of transactional tables by our own reader: Spark's takes their timestamps for clocks of the JVM's
  * time zone.
  *
  * @param isFlat
  *   see [[ScanRequest]]
  */
abstract class TableOrcFileFormat(isFlat: Boolean) extends OrcFileFormat with ReaderOfParts {

  /** The session's time zone when the query was planned: the wall clock of a TIMESTAMP is an instant there. */
  def timeZone: String

  def use: ValueUse

  override def isSplitable(s: SparkSession, options: Map[String, String], path: Path): Boolean = true
  override def supportDataType(t: DataType): Boolean = TypeMapping.isSupported(t)
  override def supportBatch(s: SparkSession, schema: StructType): Boolean = TypeMapping.isSupported(schema)

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
    val whole = withLengths(dataSchema)
    val request =
      ScanRequest(table, timeZone, whole, requiredSchema, partitionSchema, pushed, capacity, use, isFlat)
    TableOrcFileFormat.scan(session, request, options, hadoopConf)
  }
}

object TableOrcFileFormat {

  private def scan(
      session: SparkSession,
      request: ScanRequest,
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(readConf(hadoopConf)))
    val batches = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    (file: PartitionedFile) => {
      val errors = ReadErrors(request.table)
      val settings = errors.fetched(file.toPath)(conf.value.value)
      val reader = errors.openListed(file, settings, mayGrow = !request.isFlat) {
        new AcidFileReader(request, file, settings)
      }
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => reader.close()))
      if (batches) reader.asInstanceOf[Iterator[InternalRow]]
      else {
        val toUnsafe = UnsafeProjection.create(StructType(request.required.fields ++ request.partitionSchema.fields))
        reader.flatMap(_.rowIterator().asScala).map(toUnsafe)
      }
    }
  }

  /** Settings about ORC in the session's Hadoop configuration must not change which rows are read. */
  private[hiveacid] def readConf(hadoopConf: Configuration): Configuration = {
    val conf = new Configuration(hadoopConf)
    Calendars.setDefault(conf)
    OrcConf.FORCE_POSITIONAL_EVOLUTION.setBoolean(conf, false)
    OrcConf.TOLERATE_MISSING_SCHEMA.setBoolean(conf, true)
    OrcConf.SKIP_CORRUPT_DATA.setBoolean(conf, false)
    OrcConf.ALLOW_SARG_TO_FILTER.setBoolean(conf, false)
    OrcConf.READER_USE_SELECTED.setBoolean(conf, false)
    OrcConf.ALLOW_PLUGIN_FILTER.setBoolean(conf, false)
    conf
  }
}
