package hiveacid.write

import java.time.ZoneId

import hiveacid.formats.{FileSettings, NewRowsWriter, TableFileWriter}
import hiveacid.formats.orc.{EmptyFileWriter, EmptyFlatFileWriter, FlatFileWriter, InsertFileWriter}
import hiveacid.formats.parquet.ParquetRowWriter
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.CompressionKind
import org.apache.parquet.hadoop.metadata.CompressionCodecName

import org.apache.spark.sql.types.DataType

/** A file of new rows that is to be written.
  *
  * @param property
  *   the bucket property, where rows have one
  * @param firstColumn
  *   ordinal of the table's first column in the rows that are written
  */
final case class NewFile(
    path: Path,
    conf: Configuration,
    settings: FileSettings,
    timeZone: String,
    property: Int,
    columnTypes: Seq[DataType],
    firstColumn: Int
) {
  def zone: ZoneId = ZoneId.of(timeZone, ZoneId.SHORT_IDS)
}

/** How new rows lie in files.
  *
  * @param compressions
  *   the words of the format
  */
sealed abstract class FileLayout(val name: String, val compressions: Set[String]) extends Serializable {
  def newRows(file: NewFile): NewRowsWriter

  /** A file without rows. */
  def empty(path: Path, conf: Configuration, settings: FileSettings): TableFileWriter
}

object FileLayout {
  private val inOrc = CompressionKind.values.map(_.name).toSet
  private val inParquet = CompressionCodecName.values.map(_.name).toSet

  case object AcidOrc extends FileLayout("acid_orc", inOrc) {
    override def newRows(f: NewFile): NewRowsWriter = {
      val clock = new WallClock(f.zone)
      new InsertFileWriter(f.path, f.conf, f.settings, f.property, f.columnTypes, f.firstColumn, clock)
    }

    override def empty(path: Path, conf: Configuration, settings: FileSettings): TableFileWriter =
      new EmptyFileWriter(path, conf, settings)
  }

  case object FlatOrc extends FileLayout("orc", inOrc) {
    override def newRows(f: NewFile): NewRowsWriter =
      new FlatFileWriter(f.path, f.conf, f.settings, f.columnTypes, f.firstColumn, new WallClock(f.zone))

    override def empty(path: Path, conf: Configuration, settings: FileSettings): TableFileWriter =
      new EmptyFlatFileWriter(path, conf, settings)
  }

  case object Parquet extends FileLayout("parquet", inParquet) {
    override def newRows(f: NewFile): NewRowsWriter =
      new ParquetRowWriter(f.path, f.conf, f.settings, f.columnTypes, f.firstColumn, f.zone)

    override def empty(path: Path, conf: Configuration, settings: FileSettings): TableFileWriter =
      ParquetRowWriter.empty(path, conf, settings)
  }

  /** @throws IllegalArgumentException
    *   for another name
    */
  def of(name: String): FileLayout = Seq(AcidOrc, FlatOrc, Parquet)
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"files cannot be laid out as $name"))
}
