package hiveacid.parquet

import java.time.ZoneId

import hiveacid.{AcidException, TransactionalFileFormat}
import hiveacid.orc.{ReadErrors, UnsupportedTypeException, WallClock}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.datasources.{PartitionedFile, SchemaColumnConvertNotSupportedException}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetOptions}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.util.SerializableConfiguration

/** Reads the Parquet files of an insert-only table by Spark's own reader, with TIMESTAMPs as the wall clocks that Hive
  * shows, in the session's time zone.
  *
  * @param timeZone
  *   the session's when the query was planned
  */
class TableParquetFileFormat(val table: String, val timeZone: String)
    extends ParquetFileFormat
    with TransactionalFileFormat {
  import TableParquetFileFormat._

  override def toString: String = "HiveParquet"
  override def shortName(): String = "hive-insert-only-parquet"
  override def hashCode(): Int = (table, timeZone).hashCode
  override def equals(other: Any): Boolean = other match {
    case f: TableParquetFileFormat => f.table == table && f.timeZone == timeZone
    case _                         => false
  }

  override def isSplitable(s: SparkSession, options: Map[String, String], path: Path): Boolean = true

  /** Timestamps are converted row by row. */
  override def supportBatch(s: SparkSession, schema: StructType): Boolean =
    !holdsTimestamps(schema) && super.supportBatch(s, schema)

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
    if (sqlConf.caseSensitiveAnalysis) {
      val reason = "files of other engines may spell columns in other cases, and would seem to lack them"
      throw AcidException.unsupportedTable(s"Reading with ${SQLConf.CASE_SENSITIVE.key}=true", table, reason)
    }
    // what a file's timestamps stand for is known only once it is open
    val pushed = filters.filterNot(f => f.references.exists(name => holdsTimestamps(dataSchema, name)))
    val read = super.buildReaderWithPartitionValues(
      session,
      Conversion.withInstants(dataSchema),
      partitionSchema,
      Conversion.withInstants(requiredSchema),
      pushed,
      options ++ fixedOptions,
      hadoopConf
    )
    val (name, zone, converts) = (table, timeZone, holdsTimestamps(requiredSchema))
    val schema = StructType(requiredSchema.fields ++ partitionSchema.fields)
    val isConverted = sqlConf.isParquetINT96TimestampConversion
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    (file: PartitionedFile) => {
      val errors = ReadErrors(name)
      val rows = new GuardedRows[InternalRow](file.toPath, errors, read(file))
      if (converts)
        rows.map(conversion(schema, requiredSchema.length, clock(file, conf.value.value, errors, isConverted), zone))
      else rows
    }
  }
}

object TableParquetFileFormat {

  /** Whatever the session's settings say: Hive 3.1 stores proleptic days, and so do we. */
  private val fixedOptions =
    Map(ParquetOptions.DATETIME_REBASE_MODE -> "CORRECTED", ParquetOptions.INT96_REBASE_MODE -> "CORRECTED")

  private def holdsTimestamps(t: DataType): Boolean = Conversion.ofTimestamps(t, identity, identity).isDefined

  private def holdsTimestamps(schema: StructType, reference: String): Boolean =
    schema.fields.exists { field =>
      val isMeant = field.name == reference || reference.startsWith(s"${field.name}.") || reference.startsWith("`")
      isMeant && holdsTimestamps(field.dataType)
    }

  private def clock(
      file: PartitionedFile,
      conf: Configuration,
      errors: ReadErrors,
      isConverted: Boolean
  ): Option[ZoneId] = errors.guard(file.toPath)(FileClock.find(file.toPath, conf, errors, isConverted))

  /** Of the first `count` columns; the rest are those of the partition. */
  private def conversion(
      schema: StructType,
      count: Int,
      fileZone: Option[ZoneId],
      sessionZone: String
  ): InternalRow => InternalRow = {
    val toUnsafe = UnsafeProjection.create(schema)
    val session = ZoneId.of(sessionZone, ZoneId.SHORT_IDS)
    val zone = fileZone.getOrElse(session)
    val (from, to) = (new WallClock(zone), new WallClock(session))
    val instant: Long => Long =
      if (zone.getRules == session.getRules) identity else micros => to.toInstant(from.toWall(micros))
    val types = schema.fields.map(_.dataType)
    val changes = types.zipWithIndex.map { case (t, i) =>
      if (i < count) Conversion.ofTimestamps(t, instant, from.toWall) else None
    }
    val convert = Conversion.row(types, changes)
    row => toUnsafe(convert(row))
  }

  /** The rows or batches of a file, whose errors name table and file. Spark hands over batches as if they were rows, so
    * that nothing here may look at them.
    */
  private class GuardedRows[R](path: Path, errors: ReadErrors, open: => Iterator[R]) extends Iterator[R] {
    private val rows = guard(open)
    override def hasNext: Boolean = guard(rows.hasNext)
    override def next(): R = guard(rows.next())

    private def guard[T](body: => T): T = errors.guard(path) {
      try body
      catch {
        case e: SchemaColumnConvertNotSupportedException =>
          val types = s"${e.getPhysicalType} would have to be read as ${e.getLogicalType}"
          throw new UnsupportedTypeException(s"its column ${e.getColumn} of type $types")
      }
    }
  }
}
