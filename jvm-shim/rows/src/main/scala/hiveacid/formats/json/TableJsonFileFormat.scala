package hiveacid.formats.json

import java.time.{DateTimeException, ZoneId}

import scala.util.control.NonFatal

import com.fasterxml.jackson.core.JacksonException
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.{ReadErrors, TransactionalFileFormat}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{HadoopFileLinesReader, PartitionedFile, TextBasedFileFormat}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** Reads the files of an insert-only table that Hive's JsonSerDe reads, one object of JSON a line, with the rows that
  * the release of the metastore's line gives. A line that it fails on is an error.
  *
  * @param timeZone
  *   the session's when the query was planned: the wall clock of a TIMESTAMP is an instant there
  */
class TableJsonFileFormat(val table: String, val timeZone: String, val properties: SerdeProperties)
    extends TextBasedFileFormat
    with TransactionalFileFormat {
  import TableJsonFileFormat._

  override def toString: String = "HiveJson"
  override protected def readerKey: Any = (table, timeZone, properties)

  override def buildReader(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    dataSchema.fields.foreach { f =>
      Target.unknown(Target.hiveType(f)).foreach { t =>
        val found = Map("column" -> f.name, "type" -> t.sql)
        throw AcidException
          .unsupported("Access", table, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.JSON_COLUMN_TYPE", found))
      }
    }
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(readConf(hadoopConf)))
    val request = Request(table, timeZone, properties, dataSchema, requiredSchema)
    (file: PartitionedFile) => {
      val errors = ReadErrors(request.table)
      val settings = errors.fetched(file.toPath)(conf.value.value)
      errors.openListed(file, settings)(new Rows(request, file, settings))
    }
  }
}

object TableJsonFileFormat {

  /** Key of a file's constant metadata: whose reader decides, see [[HiveRelease]]. */
  val ReleaseKey = "hiveacid.jsonRelease"

  private case class Request(
      table: String,
      timeZone: String,
      properties: SerdeProperties,
      tableSchema: StructType,
      required: StructType
  )

  /** Hadoop would pass over longer lines. */
  private def readConf(hadoopConf: Configuration): Configuration = {
    val conf = new Configuration(hadoopConf)
    conf.unset(LineRecordReader.MAX_LINE_LENGTH)
    conf
  }

  /** The rows of the lines that begin within a range of a file. */
  private class Rows(request: Request, file: PartitionedFile, conf: Configuration) extends Iterator[InternalRow] {
    private val errors = ReadErrors(request.table)
    private val path = file.toPath
    private val properties = request.properties
    private val hive = HiveRelease.of(file.otherConstantMetadataColumnValues(ReleaseKey).toString)
    private val parser = {
      val zone = new WallClock(ZoneId.of(request.timeZone, ZoneId.SHORT_IDS))
      JsonLineParser.of(hive, properties, request.tableSchema, request.required, new Values(zone))
    }
    private val nulls = InternalRow.fromSeq(Seq.fill(request.required.length)(null))
    private val lines = errors.guard(path)(linesOf(file))
    private var count = 0L

    override def hasNext: Boolean = errors.guard(path)(lines.hasNext)

    override def next(): InternalRow = {
      val line = errors.guard(path)(lines.next())
      count += 1
      try if (line.getLength > 0) parser.parse(line.getBytes, line.getLength) else emptyLine
      catch {
        case e: AcidException   => throw e
        case e: UnheldException =>
          throw errors.unsupported(path, Refusal(e.condition, e.parameters + ("line" -> number.toString)))
        case NonFatal(e) =>
          throw errors.corruptBy(
            e,
            path,
            "HIVE_ACID_CORRUPT_FILE.NO_JSON",
            "line" -> number.toString,
            "detail" -> reasonOf(e)
          )
      }
    }

    private def emptyLine: InternalRow =
      if (hive != HiveRelease.Of31 && properties.takesEmptyLines) nulls else throw new JsonLineException("it is empty")

    /** Closed with the task, for a query may end before the file does. */
    private def linesOf(part: PartitionedFile): HadoopFileLinesReader = {
      val lines = new HadoopFileLinesReader(part, None, conf)
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => lines.close()))
      lines
    }

    /** In the file, counted from 1. */
    private def number: Long =
      if (file.start == 0) count
      else errors.guard(path)(linesOf(file.copy(start = 0, length = file.start)).size.toLong + count)

    private def reasonOf(e: Throwable): String = e match {
      case e: JacksonException  => e.getOriginalMessage
      case e: DateTimeException => s"no date or timestamp: ${e.getMessage}"
      case e                    => Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
    }
  }
}
