package hiveacid.search

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.{ColumnDescriptor, Dictionary}
import org.apache.parquet.column.page.DictionaryPageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import org.apache.spark.unsafe.types.UTF8String

/** The dictionary pages of a Parquet file: also a value in them that no row refers to, as pyarrow and pandas write the
  * categories of a column, used or not.
  */
final class ParquetDictionaries(path: Path, conf: Configuration) {

  /** Hands over each value of the columns that are wanted, as text; one page is in memory at a time. */
  def foreach(isWanted: Seq[String] => Boolean)(take: (Seq[String], UTF8String) => Unit): Unit = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
    try {
      val columns =
        reader.getFooter.getFileMetaData.getSchema.getColumns.asScala.filter(column => isWanted(column.getPath.toSeq))
      if (columns.nonEmpty)
        reader.getFooter.getBlocks.asScala.foreach { group =>
          val pages: DictionaryPageReadStore = reader.getDictionaryReader(group)
          for (column <- columns; page <- pageOf(pages, group, column)) {
            val dictionary = page.getEncoding.initDictionary(column, page)
            (0 to dictionary.getMaxId).foreach(id => take(column.getPath.toSeq, textOf(column, dictionary, id)))
          }
        }
    } finally reader.close()
  }

  /** The page; None only if the footer tells of none. The reader passes over one that no other page is said to use. */
  private def pageOf(pages: DictionaryPageReadStore, group: BlockMetaData, column: ColumnDescriptor) = {
    val found = Option(pages.readDictionaryPage(column))
    val path = column.getPath.toSeq
    val isTold = group.getColumns.asScala.exists { chunk =>
      val at = chunk.getDictionaryPageOffset
      chunk.getPath.toArray.toSeq == path &&
      (chunk.hasDictionaryPage || (at > 0 && at < chunk.getFirstDataPageOffset))
    }
    if (found.isEmpty && isTold) throw new Unsearchable(s"a dictionary of column ${path.mkString(".")} cannot be read")
    found
  }

  /** As the statistics of the column spell their values. */
  private def textOf(column: ColumnDescriptor, dictionary: Dictionary, id: Int): UTF8String =
    if (isOfBytes(column)) UTF8String.fromBytes(dictionary.decodeToBinary(id).getBytes)
    else UTF8String.fromString(shown(column, dictionary, id))

  /** A stringifier of bytes that are not said to be text spells them in digits. */
  private def isOfBytes(column: ColumnDescriptor): Boolean = {
    val kind = column.getPrimitiveType
    kind.getLogicalTypeAnnotation == null && Seq(BINARY, FIXED_LEN_BYTE_ARRAY).contains(kind.getPrimitiveTypeName)
  }

  private def shown(column: ColumnDescriptor, dictionary: Dictionary, id: Int): String = {
    val shown = column.getPrimitiveType.stringifier
    column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32  => shown.stringify(dictionary.decodeToInt(id))
      case INT64  => shown.stringify(dictionary.decodeToLong(id))
      case FLOAT  => shown.stringify(dictionary.decodeToFloat(id))
      case DOUBLE => shown.stringify(dictionary.decodeToDouble(id))
      case _      => shown.stringify(dictionary.decodeToBinary(id))
    }
  }
}
