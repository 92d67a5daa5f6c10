package hiveacid.orc

import java.io.{FileNotFoundException, IOException, InterruptedIOException}
import java.net.{SocketException, UnknownHostException}
import java.nio.channels.ClosedByInterruptException
import java.time.{LocalDateTime, ZoneId}

import scala.util.control.NonFatal

import hiveacid.AcidException
import org.apache.hadoop.fs.Path
import org.apache.hadoop.security.AccessControlException

import org.apache.spark.{TaskContext, TaskKilledException}

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
      case e: AcidException                                   => throw e
      case e: TaskKilledException                             => throw e
      case e: InterruptedIOException                          => throw e
      case e: ClosedByInterruptException                      => throw e
      case e: IOException if isRefusal(e)                     => throw failure(path, e)
      case e: FileNotFoundException                           => throw missing(path, e)
      case e @ (_: SocketException | _: UnknownHostException) => throw failure(path, e)
      case e: UnsupportedTypeException                        => throw unsupported(path, e.getMessage)
      // a read that the cancelled task's closing streams broke off says nothing about the file
      case NonFatal(e) if Option(TaskContext.get()).exists(_.isInterrupted()) => throw e
      case NonFatal(e)                                                        => throw corrupt(path, reasonOf(e), e)
    }

  def corrupt(path: Path, reason: String, cause: Throwable = null): AcidException =
    AcidException("HIVE_ACID_CORRUPT_FILE", Map("table" -> table, "path" -> path.toString, "reason" -> reason), cause)

  def unsupported(path: Path, reason: String): AcidException =
    AcidException("HIVE_ACID_UNSUPPORTED_LAYOUT", Map("table" -> table, "path" -> path.toString, "reason" -> reason))

  /** For the target of an UPDATE, which would write another wall clock than the row holds, also into a column that it
    * does not assign.
    */
  def lossesOf(zone: ZoneId): WallClock.Losses = new WallClock.Losses {
    override def skipped(wall: LocalDateTime): Unit = {
      val reason = s"a row holds the TIMESTAMP $wall, which the session's time zone $zone skips, so that it would be " +
        "written back as another; SET TIME ZONE 'UTC' and run the statement again"
      throw AcidException.unsupportedTable("UPDATE", table, reason)
    }

    override def nanoseconds(wall: LocalDateTime): Unit = {
      val reason = s"a row holds the TIMESTAMP $wall, of which Spark keeps microseconds only, so that it would be " +
        s"written back as another; INSERT OVERWRITE $table SELECT * FROM $table gives up the nanoseconds of all rows"
      throw AcidException.unsupportedTable("UPDATE", table, reason)
    }
  }

  /** True if storage does not let this user read; Java says so of local files as if they were missing. */
  private def isRefusal(e: IOException): Boolean = e match {
    case _: AccessControlException => true
    case e: FileNotFoundException  => reasonOf(e).endsWith("(Permission denied)")
    case _                         => false
  }

  private def failure(path: Path, cause: Throwable): AcidException = {
    val parameters = Map("path" -> path.toString, "action" -> "reading", "reason" -> reasonOf(cause))
    AcidException("HIVE_ACID_STORAGE", parameters, cause)
  }

  private def missing(path: Path, cause: Throwable): AcidException = {
    val reason = s"its file $path is gone"
    AcidException("HIVE_ACID_SNAPSHOT_UNAVAILABLE", Map("table" -> table, "reason" -> reason), cause)
  }

  private def reasonOf(e: Throwable): String = Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
}
