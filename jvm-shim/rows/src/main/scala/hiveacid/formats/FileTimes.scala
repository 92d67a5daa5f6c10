package hiveacid.formats

/** A file is told apart from later ones of its path by its time. */
object FileTimes {
  // the second in which the file was written, and what clocks of the storage and of this process may differ
  private val UnsettledMs = 3000L

  /** Whether no other file can have the path, the length and the time of this one: what is read of it may be kept.
    *
    * Object stores tell whole seconds (Last-Modified of HTTP). A table that is dropped and made anew within a second
    * has the same folders again, and its files may be of the same length. To be asked before the file is read.
    */
  def isSettled(modifiedMs: Long, nowMs: Long = System.currentTimeMillis()): Boolean =
    modifiedMs % 1000L != 0L || nowMs - modifiedMs >= UnsettledMs
}
