package hiveacid.formats

import java.io.{Closeable, FileNotFoundException, IOException, InterruptedIOException}
import java.net.{SocketException, SocketTimeoutException, UnknownHostException}
import java.nio.channels.ClosedByInterruptException
import java.time.{LocalDateTime, ZoneId}

import scala.util.control.NonFatal

import hiveacid.errors.{AcidException, QuietPaths, Refusal, StorageFailure, UnsupportedTypeException}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Turns what reading a file throws into errors that name the table and the file.
  *
  * AcidException is no RuntimeException and no IOException: Spark's scan swallows those two when
  * `spark.sql.files.ignoreCorruptFiles` or `…ignoreMissingFiles` is set, and the rows of the file would be lost.
  */
final case class ReadErrors(table: String) {

  /** Runs `body`, which reads `path`. Cancelled tasks end as Spark wants it. */
  def guard[T](path: Path)(body: => T): T =
    try body
    catch {
      case e: AcidException                                                               => throw e
      case e: TaskKilledException                                                         => throw e
      case e: InterruptedIOException if isInterrupt(e)                                    => throw e
      case e: ClosedByInterruptException                                                  => throw e
      case e: IOException if StorageFailure.isRefusal(e)                                  => throw failure(path, e)
      case e: FileNotFoundException                                                       => throw missing(path, e)
      case e @ (_: SocketException | _: UnknownHostException | _: InterruptedIOException) => throw failure(path, e)
      case e: UnsupportedTypeException => throw unsupported(path, e.refusal)
      // a read that the cancelled task's closing streams broke off says nothing about the file
      case NonFatal(e) if Option(TaskContext.get()).exists(_.isInterrupted()) => throw e
      case NonFatal(e)                                                        => throw unreadable(path, e)
    }

  /** Time-outs of storage are InterruptedIOExceptions too, and tell of no interrupt: a task that goes on is not to end
    * with one.
    */
  private def isInterrupt(e: InterruptedIOException): Boolean =
    Option(TaskContext.get()).fold(!e.isInstanceOf[SocketTimeoutException])(_.isInterrupted())

  /** Fetches what the driver has sent for the reading of `path`. An executor that has lost its driver is no damage. */
  def fetched[T](path: Path)(fetch: => T): T =
    try fetch
    catch { case e: IOException if !Option(TaskContext.get()).exists(_.isInterrupted()) => throw failure(path, e) }

  /** Opens the file as it was listed. One of its name may be another by now, where the snapshot that it was listed in
    * has ended: that of a table that was dropped and made again. Throws HIVE_ACID_SNAPSHOT_UNAVAILABLE for such. It is
    * looked at once it is open, so that no other can take its place between the two.
    *
    * @param mayGrow
    *   true for files that streaming ingest may still append to; they were listed with the length that is complete, and
    *   another file is none if it ends there
    */
  def openListed[T](file: PartitionedFile, conf: Configuration, mayGrow: Boolean = false)(open: => T): T = {
    def hasGrown = ensureListed(file.toPath, file.fileSize, file.modificationTime, conf, mayGrow)
    val opened =
      try open
      catch { case e: AcidException if isDamage(e) => throw (if (hasGrown) replaced(file.toPath) else e) }
    try hasGrown
    catch {
      case e: Throwable =>
        opened match {
          case reader: Closeable => reader.close()
          case _                 =>
        }
        throw e
    }
    opened
  }

  /** Reads on in such a file. If another has taken its place, what looks like damage is none of the listed file's. */
  def readListed[T](file: PartitionedFile, conf: Configuration, mayGrow: Boolean = false)(read: => T): T =
    readListed(file.toPath, file.fileSize, file.modificationTime, conf, mayGrow)(read)

  def readListed[T](path: Path, lengthBytes: Long, modifiedMs: Long, conf: Configuration, mayGrow: Boolean)(
      read: => T
  ): T =
    try read
    catch {
      case e: AcidException if isDamage(e) =>
        ensureListed(path, lengthBytes, modifiedMs, conf, mayGrow)
        throw e
    }

  /** True if the file has grown, which it may. Throws HIVE_ACID_SNAPSHOT_UNAVAILABLE for another than the listed one.
    */
  def ensureListed(path: Path, lengthBytes: Long, modifiedMs: Long, conf: Configuration, mayGrow: Boolean): Boolean = {
    val found = guard(path)(path.getFileSystem(conf).getFileStatus(path))
    val hasGrown = mayGrow && found.getLen > lengthBytes
    if (!hasGrown && (found.getLen != lengthBytes || found.getModificationTime != modifiedMs)) throw replaced(path)
    hasGrown
  }

  private def isDamage(e: AcidException) = e.mainCondition == "HIVE_ACID_CORRUPT_FILE"

  private def replaced(path: Path): AcidException = {
    val reason = s"its file ${QuietPaths.show(path)} was replaced or damaged since it was listed"
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> table, "reason" -> reason))
  }

  /** @param condition
    *   a sub-condition of HIVE_ACID_CORRUPT_FILE
    */
  def corrupt(path: Path, condition: String, parameters: (String, String)*): AcidException =
    corruptBy(null, path, condition, parameters: _*)

  def corruptBy(cause: Throwable, path: Path, condition: String, parameters: (String, String)*): AcidException =
    AcidException(
      condition,
      Map("table" -> table, "path" -> QuietPaths.show(path)) ++ parameters,
      QuietPaths.cause(cause)
    )

  private def unreadable(path: Path, e: Throwable) =
    corruptBy(e, path, "HIVE_ACID_CORRUPT_FILE.UNREADABLE", "detail" -> QuietPaths.reason(e, reasonOf))

  /** @param refusal
    *   of HIVE_ACID_UNSUPPORTED_LAYOUT
    */
  def unsupported(path: Path, refusal: Refusal): AcidException =
    AcidException(refusal.condition, refusal.parameters ++ Map("table" -> table, "path" -> QuietPaths.show(path)))

  /** For the target of an UPDATE or an erasure, which would write another wall clock than the row holds, also into a
    * column that it does not assign.
    */
  def lossesOf(zone: ZoneId): WallClock.Losses = new WallClock.Losses {
    override def skipped(wall: LocalDateTime): Unit =
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SKIPPED_WALL_CLOCK", in(wall)))
    override def repeated(wall: LocalDateTime): Unit =
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.REPEATED_WALL_CLOCK", in(wall)))
    override def unzoned(): Unit =
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.UNKNOWN_TIME_ZONE", Map("zone" -> zone.toString)))
    override def nanoseconds(wall: LocalDateTime): Unit =
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NANOSECONDS", shown(wall) + ("table" -> table)))

    private def shown(wall: LocalDateTime) = Map("timestamp" -> QuietPaths.hide(wall.toString))
    private def in(wall: LocalDateTime) = shown(wall) + ("zone" -> zone.toString)

    // jobs whose errors tell nothing of rows are an erasure's
    private def refuse(refusal: Refusal) =
      throw AcidException.unsupported(if (QuietPaths.areKept) "Erasure" else "UPDATE", table, refusal)
  }

  private def failure(path: Path, cause: Throwable): AcidException = StorageFailure(path, "reading", cause)

  private def missing(path: Path, cause: Throwable): AcidException = {
    val reason = s"its file ${QuietPaths.show(path)} is gone"
    AcidException(
      "HIVE_ACID_SNAPSHOT_UNAVAILABLE",
      Map("table" -> table, "reason" -> reason),
      QuietPaths.cause(cause)
    )
  }

  private def reasonOf(e: Throwable): String = Option(e.getMessage).fold(e.getClass.getSimpleName)(_.stripSuffix("."))
}
