package hiveacid.formats.orc

import scala.jdk.CollectionConverters._

import com.google.common.cache.{Cache, CacheBuilder}
import hiveacid.formats.{FileTimes, ReadErrors}
import hiveacid.wire.FileVersion
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.{
  ColumnStatistics,
  DateColumnStatistics,
  DecimalColumnStatistics,
  DoubleColumnStatistics,
  IntegerColumnStatistics,
  OrcFile,
  Reader,
  StringColumnStatistics,
  TypeDescription
}
import org.apache.orc.OrcFile.WriterVersion.{HIVE_8732, ORC_135}
import org.apache.orc.TypeDescription.Category

/** The footer's statements about all rows of a file.
  *
  * @param isHybrid
  *   whether its days are those of the hybrid calendar, see [[Calendars]]
  * @param columns
  *   by the numbers of `schema`; None where none were kept
  */
final class FileStatistics private (
    val schema: TypeDescription,
    val isHybrid: Boolean,
    writer: OrcFile.WriterVersion,
    columns: Array[Option[ColumnStatistics]]
) {

  /** The statistics of a column of the table; None if there is not just one of that name, whatever its case, or if they
    * do not tell of all its values.
    */
  def ofRow(name: String): Option[ColumnStatistics] = {
    val row = FileSchema.rowOf(schema)
    row.getFieldNames.asScala.zipWithIndex.collect { case (n, i) if n.equalsIgnoreCase(name) => i }.toSeq match {
      case Seq(i) => Some(row.getChildren.get(i)).flatMap(told)
      case _      => None
    }
  }

  /** As the reader judges those of row groups (RecordReaderImpl.evaluatePredicateProto), which is not open to others.
    */
  private def told(field: TypeDescription): Option[ColumnStatistics] =
    columns(field.getId).filter(FileStatistics.areWhole).filter {
      case s: DoubleColumnStatistics                  => !s.getSum.isNaN // NaN is neither least nor greatest
      case _ if field.getCategory == Category.DECIMAL => !(writer == ORC_135 && isDecimal64(field)) // ORC-517
      case _                                          => true
    }

  private def isDecimal64(field: TypeDescription) = field.getPrecision <= TypeDescription.MAX_DECIMAL64_PRECISION

  /** The statistics of one of the first five columns of an ACID file, if it has values. */
  def ofId(column: Int): Option[IntegerColumnStatistics] =
    columns(schema.getChildren.get(column).getId).collect {
      case s: IntegerColumnStatistics if s.getNumberOfValues > 0 => s
    }

  private def sizeBytes: Long = columns.map {
    case Some(s: StringColumnStatistics) =>
      FileStatistics.ColumnBytes + lengthOf(s.getLowerBound) + lengthOf(s.getUpperBound)
    case _ => FileStatistics.ColumnBytes
  }.sum

  private def lengthOf(text: String) = if (text == null) 0L else 2L * text.length
}

/** The footers that the driver has read, bounded by their bytes. */
object FileStatistics {
  private val ColumnBytes = 250L // of its statistics and its type
  private val RememberedBytes = 64L << 20

  final private case class Key(file: FileVersion, asHive3: Boolean)

  // None: nothing that the footer says may be relied on
  private val cache: Cache[Key, Option[FileStatistics]] = CacheBuilder
    .newBuilder()
    .maximumWeight(RememberedBytes)
    .weigher((key: Key, found: Option[FileStatistics]) =>
      (found.fold(0L)(_.sizeBytes) + key.file.path.length + ColumnBytes).toInt
    )
    .build[Key, Option[FileStatistics]]()

  /** Whether both bounds of a column's values were kept, or there are no values.
    *
    * Presto, and Trino before it shortened long bounds (trinodb/trino#11652), leave out a bound of text that is longer
    * than 64 bytes. ORC takes a column without a lower bound for one without values (RecordReaderImpl.getValueRange),
    * and no row would meet any condition. A writer that leaves a bound out of a row group leaves it out of the file,
    * too.
    */
  def areWhole(statistics: ColumnStatistics): Boolean = statistics.getNumberOfValues == 0 || (statistics match {
    case s: IntegerColumnStatistics => s.getMinimum <= s.getMaximum
    case s: DoubleColumnStatistics  => s.getMinimum <= s.getMaximum || s.getSum.isNaN
    case s: StringColumnStatistics  => s.getLowerBound != null && s.getUpperBound != null
    case s: DateColumnStatistics    => s.getMinimumLocalDate != null && s.getMaximumLocalDate != null
    case s: DecimalColumnStatistics => s.getMinimum != null && s.getMaximum != null
    case _                          => true
  })

  /** Whether the file was read before. */
  def isKnown(file: FileVersion, asHive3: Boolean): Boolean = cache.getIfPresent(Key(file, asHive3)) != null

  /** The statistics of the file as it was listed, None if they tell nothing that holds for all of its rows.
    *
    * @throws hiveacid.AcidException
    *   for a file that cannot be read, or is another by now
    */
  def of(file: FileVersion, asHive3: Boolean, conf: Configuration, errors: ReadErrors): Option[FileStatistics] = {
    val key = Key(file, asHive3)
    Option(cache.getIfPresent(key)).getOrElse {
      val path = new Path(file.path)
      val isSettled = FileTimes.isSettled(file.modifiedMs)
      val found = errors.guard(path)(read(file, asHive3, conf, errors))
      errors.ensureListed(path, file.lengthBytes, file.modifiedMs, conf, mayGrow = true)
      if (isSettled) cache.put(key, found)
      found
    }
  }

  private def read(
      file: FileVersion,
      asHive3: Boolean,
      conf: Configuration,
      errors: ReadErrors
  ): Option[FileStatistics] = {
    val path = new Path(file.path)
    val options = OrcFile
      .readerOptions(Calendars.readConf(conf, asHive3))
      .useUTCTimestamp(true)
      .convertToProlepticGregorian(true)
    val reader = OrcFile.createReader(path, options.maxLength(file.lengthBytes))
    try {
      PlaceCheck.checkVersion(path, reader, errors)
      val encrypted = new EncryptedColumns(reader)
      val found = new FileStatistics(
        reader.getSchema,
        !reader.writerUsedProlepticGregorian(),
        reader.getWriterVersion,
        reader.getStatistics.zip(reader.getOrcProtoFileStatistics.asScala).zipWithIndex.map {
          case ((s, kept), column) =>
            // a task may have a key that the driver lacks: the mask's tell nothing of the values
            Some(s).filter(_ => kept.hasNumberOfValues && !encrypted.holds(column))
        }
      )
      Some(found).filter(_ => areKept(reader))
    } finally reader.close()
  }

  /** False where no row index was written: streaming of Hive 3 and its minor compaction do not keep them up then.
    * Before Hive 0.14 the statistics of whole files were wrong (HIVE-8732).
    */
  private def areKept(reader: Reader): Boolean =
    reader.getRowIndexStride > 0 && reader.getWriterVersion.includes(HIVE_8732)
}
