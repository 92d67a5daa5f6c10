package hiveacid.formats.parquet

import scala.jdk.CollectionConverters._

import hiveacid.errors.Refusal
import hiveacid.formats.{ReadErrors, ValueUse}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile

/** Files that Parquet has encrypted. Without a key nobody reads anything of such a column; who has it writes the values
  * in clear.
  */
object EncryptedParquet {

  /** Throws HIVE_ACID_UNSUPPORTED_LAYOUT for a file that holds columns encrypted if its values are written again. */
  def check(path: Path, conf: Configuration, use: ValueUse, errors: ReadErrors): Unit =
    if (use == ValueUse.Stored || use == ValueUse.WrittenBack) {
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(path, conf))
      try check(path, reader.getFooter, errors)
      finally reader.close()
    }

  def check(path: Path, footer: ParquetMetadata, errors: ReadErrors): Unit =
    if (footer.getFileMetaData.getEncryptionType != EncryptionType.UNENCRYPTED) {
      val all = footer.getFileMetaData.getSchema.getFields.asScala.map(_.getName)
      val chunks = footer.getBlocks.asScala.flatMap(_.getColumns.asScala).filter(_.isEncrypted)
      // a column whose key is that of the footer does not say so
      val named = chunks.map(_.getPath.toArray.head).distinct
      val columns = (if (named.isEmpty) all else named).mkString(", ")
      throw errors.unsupported(
        path,
        Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.ENCRYPTED_COLUMNS", Map("columns" -> columns))
      )
    }
}
