package hiveacid.orc

import java.time.ZoneId

import hiveacid.parquet.ParquetRowWriter
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.types.DataType

/** How new rows lie in files.
  *
  * @param compressions
  *   those that every engine reads
  */
sealed abstract class FileLayout(val name: String, val compressions: Set[String]) {

  /** @param property
    *   the bucket property, where rows have one
    * @param firstColumn
    *   ordinal of the table's first column in the rows that are written
    */
  def newRows(
      path: Path,
      conf: Configuration,
      spec: WriteSpec,
      property: Int,
      columnTypes: Seq[DataType],
      firstColumn: Int
  ): NewRowsWriter

  /** A file without rows. */
  def empty(path: Path, conf: Configuration, spec: WriteSpec): TableFileWriter

  final protected def zone(spec: WriteSpec): ZoneId = ZoneId.of(spec.timeZone, ZoneId.SHORT_IDS)
}

object FileLayout {
  private val inOrc = Set("ZLIB", "SNAPPY", "NONE")
  private val inParquet = Set("SNAPPY", "GZIP", "UNCOMPRESSED")

  case object AcidOrc extends FileLayout("acid_orc", inOrc) {
    override def newRows(
        path: Path,
        conf: Configuration,
        spec: WriteSpec,
        property: Int,
        columnTypes: Seq[DataType],
        firstColumn: Int
    ): NewRowsWriter =
      new InsertFileWriter(path, conf, spec.settings, property, columnTypes, firstColumn, new WallClock(zone(spec)))

    override def empty(path: Path, conf: Configuration, spec: WriteSpec): TableFileWriter =
      new EmptyFileWriter(path, conf, spec.settings)
  }

  case object FlatOrc extends FileLayout("orc", inOrc) {
    override def newRows(
        path: Path,
        conf: Configuration,
        spec: WriteSpec,
        property: Int,
        columnTypes: Seq[DataType],
        firstColumn: Int
    ): NewRowsWriter =
      new FlatFileWriter(path, conf, spec.settings, columnTypes, firstColumn, new WallClock(zone(spec)))

    override def empty(path: Path, conf: Configuration, spec: WriteSpec): TableFileWriter =
      new EmptyFlatFileWriter(path, conf, spec.settings)
  }

  case object Parquet extends FileLayout("parquet", inParquet) {
    override def newRows(
        path: Path,
        conf: Configuration,
        spec: WriteSpec,
        property: Int,
        columnTypes: Seq[DataType],
        firstColumn: Int
    ): NewRowsWriter = new ParquetRowWriter(path, conf, spec.settings, columnTypes, firstColumn, zone(spec))

    override def empty(path: Path, conf: Configuration, spec: WriteSpec): TableFileWriter =
      ParquetRowWriter.empty(path, conf, spec.settings)
  }

  /** @throws IllegalArgumentException
    *   for another name
    */
  def of(name: String): FileLayout = Seq(AcidOrc, FlatOrc, Parquet)
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"files cannot be laid out as $name"))
}
