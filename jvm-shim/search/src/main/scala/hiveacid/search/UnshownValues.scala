package hiveacid.search

import hiveacid.formats.Evolution
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.Reader
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType

import org.apache.spark.sql.types.StructType

/** Values in a part of a file that no row of the table shows: those of dictionaries, used or not, which are searched
  * with the first part, and those of columns that the table has no more.
  *
  * @param columns
  *   None if former columns are not searched
  * @param isMet
  *   whether a value of a column that conditions need, by its index, meets one of them
  * @param former
  *   takes what is found in columns that the table has no more
  */
final class UnshownValues(
    path: Path,
    conf: Configuration,
    samples: FileSamples,
    columns: Option[FormerColumns],
    former: FormerValues,
    isMet: (Int, Any) => Boolean
) {
  private var isInDictionary = false

  /** True if a dictionary of a column that conditions need, as one of the evolutions finds it, holds a value that meets
    * one.
    */
  def searchOrc(reader: Reader, part: FilePart, table: StructType, evolutions: Seq[Evolution]): Boolean = {
    val leaves = columns.fold(Map.empty[Int, FormerColumn])(_.ofOrc(reader.getSchema))
    if (part.isFirst) {
      val keys = evolutions.map(samples.textsOfOrc(reader.getSchema, table, _))
      new OrcDictionaries(path, reader, conf).foreach(leaves.keySet ++ keys.flatMap(_.keySet)) { (leaf, text) =>
        leaves.get(leaf).foreach(former.searchText(_, text))
        keys.flatMap(_.get(leaf)).foreach { case (i, column) =>
          judge(samples.ofOrcText(i, column, leaf, text).map(i -> _))
        }
      }
    }
    former.searchOrc(reader, leaves, part.start, part.lengthBytes)
    isInDictionary
  }

  /** The same of a Parquet file. */
  def searchParquet(part: FilePart): Boolean = {
    val names = columns.fold(Map.empty[Seq[String], FormerColumn])(_.ofParquet(schema()))
    def isWanted(column: Seq[String]) = names.contains(column) || samples.isOfParquet(column)
    if (part.isFirst) new ParquetDictionaries(path, conf).foreach(isWanted) { (column, text) =>
      names.get(column).foreach(former.searchText(_, text))
      judge(samples.ofParquetText(column, text).toSeq)
    }
    former.searchParquet(path, conf, names, part.start, part.start + part.lengthBytes)
    isInDictionary
  }

  private def schema(): MessageType = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
    try reader.getFooter.getFileMetaData.getSchema
    finally reader.close()
  }

  private def judge(found: Seq[(Int, Any)]): Unit =
    if (!isInDictionary) isInDictionary = found.exists { case (i, value) => isMet(i, value) }
}
