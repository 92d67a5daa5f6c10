package hiveacid.orc

import scala.jdk.CollectionConverters._

import hiveacid.{AcidException, TransactionalFileFormat}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.Job
import org.apache.orc.OrcConf

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  FileSourceGeneratedMetadataStructField,
  FileSourceMetadataAttribute,
  UnsafeProjection
}
import org.apache.spark.sql.execution.datasources.{FileFormat, OutputWriterFactory, PartitionedFile}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.util.SerializableConfiguration

/** Reads the files of a transactional table as a table of its own columns, inside Spark's file scan.
  *
  * The file index tells each file what concerns it, by [[AcidOrcFileFormat.DeletesKey]],
  * [[AcidOrcFileFormat.CheckKey]], [[AcidOrcFileFormat.RawKey]], [[AcidOrcFileFormat.PositionKey]] and
  * [[AcidOrcFileFormat.WriteIdsKey]]. Which files a snapshot holds is not decided here.
  *
  * @param table
  *   `db.table`, for errors
  * @param timeZone
  *   the session's time zone when the query was planned: the wall clock of a TIMESTAMP is an instant there
  * @param writesBack
  *   true for the target of an UPDATE: a wall clock that would come back as another is an error
  */
class AcidOrcFileFormat(val table: String, val timeZone: String, val writesBack: Boolean = false)
    extends OrcFileFormat
    with TransactionalFileFormat {
  import AcidOrcFileFormat._

  override def toString: String = "HiveACID"
  override def shortName(): String = "hive-acid-orc"
  override def hashCode(): Int = (table, timeZone, writesBack).hashCode
  override def equals(other: Any): Boolean = other match {
    case f: AcidOrcFileFormat => f.table == table && f.timeZone == timeZone && f.writesBack == writesBack
    case _                    => false
  }

  /** The same for the target of an UPDATE. */
  def writingBack: AcidOrcFileFormat = new AcidOrcFileFormat(table, timeZone, writesBack = true)

  override def inferSchema(s: SparkSession, o: Map[String, String], f: Seq[FileStatus]): Option[StructType] = None
  override def isSplitable(s: SparkSession, options: Map[String, String], path: Path): Boolean = true
  override def supportDataType(t: DataType): Boolean = TypeMapping.isSupported(t)
  override def supportBatch(s: SparkSession, schema: StructType): Boolean = TypeMapping.isSupported(schema)

  override def prepareWrite(s: SparkSession, job: Job, o: Map[String, String], d: StructType): OutputWriterFactory =
    throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> s"A plain file write into $table was planned"))

  /** The hidden struct column ROW__ID, whose fields are made by the reader. */
  override def createFileMetadataCol(): AttributeReference =
    FileSourceMetadataAttribute(FileFormat.METADATA_NAME, StructType(metadataSchemaFields), nullable = false)
      .withName(RowIdColumn)

  override def metadataSchemaFields: Seq[StructField] = Seq(
    FileSourceGeneratedMetadataStructField("writeid", WriteIdField, LongType, nullable = true),
    FileSourceGeneratedMetadataStructField("bucketid", BucketIdField, IntegerType, nullable = true),
    FileSourceGeneratedMetadataStructField("rowid", RowIdField, LongType, nullable = true)
  )

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
    val request =
      ScanRequest(table, timeZone, dataSchema, requiredSchema, partitionSchema, pushed, capacity, writesBack)
    scan(session, request, options, hadoopConf)
  }
}

object AcidOrcFileFormat {

  /** Key of a file's constant metadata: the delete files that concern it, see [[Deletes]]. Absent: none. */
  val DeletesKey = "hiveacid.deletes"

  /** Key of a file's constant metadata: the write-ID list to check each row with. Absent: all rows are visible. */
  val CheckKey = "hiveacid.check"

  /** Key of a file's constant metadata: it has no ACID columns, but these IDs, see [[RawRows]]. Absent: it has them. */
  val RawKey = "hiveacid.raw"

  /** Key of a file's constant metadata: the table's columns are found by position. Absent: by name. */
  val PositionKey = "hiveacid.position"

  /** Key of a file's constant metadata: least and greatest write ID of its folder, see [[FilePlace]]. */
  val WriteIdsKey = "hiveacid.writeIds"

  val RowIdColumn = "ROW__ID"

  // how the reader is asked for the parts of ROW__ID
  private val WriteIdField = "__hiveacid_writeid"
  private val BucketIdField = "__hiveacid_bucketid"
  private val RowIdField = "__hiveacid_rowid"

  /** Internal names of the parts of ROW__ID, and the column of the file each is. */
  private[orc] val idColumns: Map[String, Int] = Map(
    WriteIdField -> FileSchema.OriginalTransaction,
    BucketIdField -> FileSchema.Bucket,
    RowIdField -> FileSchema.RowId
  )

  /** The reading function of a scan. */
  private[orc] def scan(
      session: SparkSession,
      request: ScanRequest,
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(readConf(hadoopConf)))
    val batches = options.get(FileFormat.OPTION_RETURNING_BATCH).contains("true")
    (file: PartitionedFile) => {
      val reader = new AcidFileReader(request, file, conf.value.value)
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => reader.close()))
      if (batches) reader.asInstanceOf[Iterator[InternalRow]]
      else {
        val toUnsafe = UnsafeProjection.create(StructType(request.required.fields ++ request.partitionSchema.fields))
        reader.flatMap(_.rowIterator().asScala).map(toUnsafe)
      }
    }
  }

  /** What the session's Hadoop configuration may say about ORC must not change which rows are read. */
  private def readConf(hadoopConf: Configuration): Configuration = {
    val conf = new Configuration(hadoopConf)
    // Hive 3.1 names no calendar and writes proleptic days; a named calendar counts
    OrcConf.PROLEPTIC_GREGORIAN_DEFAULT.setBoolean(conf, true)
    OrcConf.FORCE_POSITIONAL_EVOLUTION.setBoolean(conf, false)
    OrcConf.TOLERATE_MISSING_SCHEMA.setBoolean(conf, true)
    OrcConf.SKIP_CORRUPT_DATA.setBoolean(conf, false)
    OrcConf.ALLOW_SARG_TO_FILTER.setBoolean(conf, false)
    OrcConf.READER_USE_SELECTED.setBoolean(conf, false)
    OrcConf.ALLOW_PLUGIN_FILTER.setBoolean(conf, false)
    conf
  }
}
