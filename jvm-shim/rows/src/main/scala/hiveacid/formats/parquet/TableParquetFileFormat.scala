package hiveacid.formats.parquet

import java.time.ZoneId

import hiveacid.errors.{AcidException, Refusal, UnsupportedTypeException}
import hiveacid.formats.{Evolution, FloatingPoint, ReaderOfParts, ReadErrors, ValueUse}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
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
class TableParquetFileFormat(
    val table: String,
    val timeZone: String,
    val columns: StructType,
    val use: ValueUse = ValueUse.Shown
) extends ParquetFileFormat
    with ReaderOfParts {
  import TableParquetFileFormat._

  private val hasLengths =
    columns.exists(f => CharVarcharUtils.getRawType(f.metadata).exists(CharVarcharUtils.hasCharVarchar))

  override def toString: String = "HiveParquet"
  override def shortName(): String = "hive-insert-only-parquet"
  override protected def readerKey: Any = (table, timeZone, columns, use)
  override def usedFor(use: ValueUse): TableParquetFileFormat =
    new TableParquetFileFormat(table, timeZone, columns, use)

  override def isSplitable(s: SparkSession, options: Map[String, String], path: Path): Boolean = true

  /** Timestamps are converted and texts of a length cut row by row. */
  override def supportBatch(s: SparkSession, schema: StructType): Boolean =
    !holdsTimestamps(schema) && !(hasLengths && holdsText(schema)) && super.supportBatch(s, schema)

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
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.CASE_SENSITIVE")
      throw AcidException.unsupported(s"Reading with ${SQLConf.CASE_SENSITIVE.key}=true", table, refusal)
    }
    val (converts, isNarrow) = (holdsTimestamps(requiredSchema), NarrowIntegers.isWithin(requiredSchema))
    // what a file's times stand for is known only once it is open, and its texts may be longer than the column's
    val isChanged = (t: DataType) => holdsTimestamps(t) || converts && holdsDates(t) || hasLengths && holdsText(t)
    val pushed = filters.filterNot { f =>
      FloatingPoint.isCompared(f) || f.references.exists(name => isOf(dataSchema, name, isChanged))
    }
    def reader(dates: String) = super.buildReaderWithPartitionValues(
      session,
      Conversion.withInstants(dataSchema),
      partitionSchema,
      Conversion.withInstants(requiredSchema),
      pushed,
      options ++ rebaseModes(dates),
      hadoopConf
    )
    val read = reader("CORRECTED")
    // it would take timestamps for those of the JVM's time zone, too
    val readHybrid = if (holdsDates(requiredSchema) && !converts) Some(reader("LEGACY")) else None
    val (name, zone, useOfValues) = (table, timeZone, use)
    val schema = StructType(requiredSchema.fields ++ partitionSchema.fields)
    // the plan may have lost the lengths, the table has not
    val lengths = cuts(requiredSchema, withLengths(dataSchema))
    val isConverted = sqlConf.isParquetINT96TimestampConversion
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    (file: PartitionedFile) => {
      val errors = ReadErrors(name)
      val settings = errors.fetched(file.toPath)(conf.value.value)
      errors.guard(file.toPath)(EncryptedParquet.check(file.toPath, settings, useOfValues, errors))
      val clock =
        if (converts || readHybrid.isDefined)
          Some(errors.guard(file.toPath)(FileClock.read(file.toPath, settings, Evolution.of(file).asHive3)))
        else None
      if (isNarrow) errors.guard(file.toPath)(NarrowIntegers.check(file.toPath, settings, requiredSchema))
      val rows = errors.openListed(file, settings) {
        val open = readHybrid.filter(_ => clock.exists(_.hasHybridDates)).getOrElse(read)
        new GuardedRows[InternalRow](file, settings, errors, open(file))
      }
      if (converts || lengths.exists(_.isDefined)) {
        val times = clock.filter(_ => converts)
        val fileZone = errors.guard(file.toPath)(times.flatMap(_.zone(isConverted)))
        val isWrittenBack = converts && useOfValues == ValueUse.WrittenBack
        val session = clockOf(zone, if (isWrittenBack) Some(errors) else None)
        if (isWrittenBack) errors.guard(file.toPath)(Nanoseconds.refuse(file, settings, errors, session.zone))
        rows.map(conversion(schema, lengths, times, fileZone, session))
      } else rows
    }
  }
}

object TableParquetFileFormat {

  /** For files that Spark has not written, whatever the session's settings say, see [[FileClock]]. */
  private def rebaseModes(dates: String) =
    Map(ParquetOptions.DATETIME_REBASE_MODE -> dates, ParquetOptions.INT96_REBASE_MODE -> "CORRECTED")

  private def holdsTimestamps(t: DataType): Boolean =
    Conversion.holds(t)(one => one == TimestampType || one == TimestampNTZType)
  private def holdsDates(t: DataType): Boolean = Conversion.holds(t)(_ == DateType)
  private def holdsText(t: DataType): Boolean = Conversion.holds(t)(_.isInstanceOf[StringType])

  private def isOf(schema: StructType, reference: String, isMet: DataType => Boolean): Boolean =
    schema.fields.exists { field =>
      val isMeant = field.name == reference || reference.startsWith(s"${field.name}.") || reference.startsWith("`")
      isMeant && isMet(field.dataType)
    }

  /** For each required column how its texts are cut to the lengths of the table's CHAR and VARCHAR. */
  private def cuts(required: StructType, table: StructType): Array[Option[Conversion.Change]] =
    required.fields.map { field =>
      table.find(_.name.equalsIgnoreCase(field.name)).flatMap { inTable =>
        CharVarcharUtils.getRawType(inTable.metadata).flatMap(Conversion.ofLengths(field.dataType, _))
      }
    }

  private def clockOf(sessionZone: String, writingBack: Option[ReadErrors]): SessionClock = {
    val zone = ZoneId.of(sessionZone, ZoneId.SHORT_IDS)
    SessionClock(zone, writingBack.fold(new WallClock(zone))(errors => new WallClock(zone, errors.lossesOf(zone))))
  }

  /** @param clock
    *   tells of what would be written back as another
    */
  private case class SessionClock(zone: ZoneId, clock: WallClock)

  /** The columns of the file, each with its change of `lengths`; the rest of the schema are those of the partition.
    */
  private def conversion(
      schema: StructType,
      lengths: Array[Option[Conversion.Change]],
      clock: Option[FileClock],
      fileZone: Option[ZoneId],
      session: SessionClock
  ): InternalRow => InternalRow = {
    val toUnsafe = UnsafeProjection.create(schema)
    val zone = fileZone.getOrElse(session.zone)
    val (from, to) = (new WallClock(zone), session.clock)
    val stored: Long => Long =
      if (clock.exists(_.hasHybridTimestamps)) HybridCalendar.toProlepticMicros else identity
    val instant: Long => Long =
      if (fileZone.isEmpty) micros => to.unzoned(stored(micros))
      else if (zone.getRules == session.zone.getRules) micros => to.keeping(stored(micros))
      else micros => to.toInstant(from.toWall(stored(micros)))
    val day = clock.filter(_.hasHybridDates).map(_ => HybridCalendar.toProlepticDay _)
    val types = schema.fields.map(_.dataType)
    val changes = types.zipWithIndex.map { case (t, i) =>
      if (i >= lengths.length) None
      else {
        val times = Conversion.ofTimes(t, instant, micros => from.toWall(stored(micros)), day)
        (times.toSeq ++ lengths(i)).reduceOption(_ andThen _)
      }
    }
    val convert = Conversion.row(types, changes)
    row => toUnsafe(convert(row))
  }

  /** The rows or batches of a file, whose errors name table and file. Spark hands over batches as if they were rows, so
    * that nothing here may look at them.
    */
  private class GuardedRows[R](file: PartitionedFile, conf: Configuration, errors: ReadErrors, open: => Iterator[R])
      extends Iterator[R] {
    private val rows = guard(open)
    override def hasNext: Boolean = guard(rows.hasNext)
    override def next(): R = guard(rows.next())

    private def guard[T](body: => T): T = errors.readListed(file, conf)(errors.guard(file.toPath) {
      try body
      catch {
        case e: SchemaColumnConvertNotSupportedException =>
          val found = Map("column" -> e.getColumn, "fileType" -> e.getPhysicalType, "type" -> e.getLogicalType)
          throw new UnsupportedTypeException(Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.COLUMN_TYPE_CHANGE", found))
      }
    })
  }
}
