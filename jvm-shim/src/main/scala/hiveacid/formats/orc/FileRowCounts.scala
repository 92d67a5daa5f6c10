package hiveacid.formats.orc

import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import com.google.common.cache.{Cache, CacheBuilder}
import hiveacid.formats.ReadErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile

/** How many rows ORC files have. Footers are read in parallel, and each once for as long as the driver remembers. */
object FileRowCounts {

  /** A file as it was listed: what has another length or time is another file. */
  final case class Version(path: String, lengthBytes: Long, modifiedMs: Long)

  private val Threads = 16
  private val Remembered = 100000L
  private val cache: Cache[Version, java.lang.Long] =
    CacheBuilder.newBuilder().maximumSize(Remembered).build[Version, java.lang.Long]()

  /** One number for each file, in order. Errors name `table` and the file. */
  def of(files: Seq[Version], conf: Configuration, table: String): Seq[Long] = {
    val errors = ReadErrors(table)
    val pool = Executors.newFixedThreadPool(math.max(1, math.min(Threads, files.length)))
    try {
      val counts: Seq[Future[Long]] = files.map { file =>
        val task: Callable[Long] = () => count(file, conf, errors)
        pool.submit(task)
      }
      counts.map(_.get)
    } catch { case e: ExecutionException => throw e.getCause }
    finally pool.shutdownNow()
  }

  private def count(file: Version, conf: Configuration, errors: ReadErrors): Long =
    Option(cache.getIfPresent(file)).fold {
      val path = new Path(file.path)
      val rows = errors.guard(path) {
        val reader = OrcFile.createReader(path, OrcFile.readerOptions(conf).maxLength(file.lengthBytes))
        try reader.getNumberOfRows
        finally reader.close()
      }
      cache.put(file, rows)
      rows
    }(_.longValue)
}
