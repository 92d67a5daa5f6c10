package hiveacid.commands

import hiveacid.wire.WriteResult

/** The files that a statement has staged in its last run, for the SQL tab: one that lost a race runs again. */
final class WrittenFiles {
  private var staging = ""
  private var counted = (0L, 0L)

  /** @param place
    *   the staging folder, which each run has for itself
    */
  def note(report: WriteResult, place: String): Unit = synchronized {
    val (before, bytesBefore) = if (place == staging) counted else (0L, 0L)
    staging = place
    counted = (before + report.folders.map(_.files.length.toLong).sum, bytesBefore + report.folders.map(_.bytes).sum)
  }

  def files: Long = synchronized(counted._1)
  def bytes: Long = synchronized(counted._2)
}
