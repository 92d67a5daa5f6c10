package hiveacid.formats.orc

import com.google.common.cache.{Cache, CacheBuilder}
import hiveacid.formats.{FileTimes, ReadErrors, SideBySide}
import hiveacid.wire.FileVersion
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile

/** How many rows ORC files have. Footers are read in parallel, and each once for as long as the driver remembers. */
object FileRowCounts {
  private val Remembered = 100000L
  private val cache: Cache[FileVersion, java.lang.Long] =
    CacheBuilder.newBuilder().maximumSize(Remembered).build[FileVersion, java.lang.Long]()

  /** One number for each file, in order. Errors name `table` and the file. */
  def of(files: Seq[FileVersion], conf: Configuration, table: String): Seq[Long] = {
    val errors = ReadErrors(table)
    SideBySide.map(files)(count(_, conf, errors))
  }

  private def count(file: FileVersion, conf: Configuration, errors: ReadErrors): Long =
    Option(cache.getIfPresent(file)).fold {
      val path = new Path(file.path)
      val isSettled = FileTimes.isSettled(file.modifiedMs)
      val rows = errors.guard(path) {
        val reader = OrcFile.createReader(path, OrcFile.readerOptions(conf).maxLength(file.lengthBytes))
        try reader.getNumberOfRows
        finally reader.close()
      }
      if (isSettled) cache.put(file, rows)
      rows
    }(_.longValue)
}
