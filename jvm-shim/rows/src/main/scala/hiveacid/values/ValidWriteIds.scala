package hiveacid.values

/** The write IDs a snapshot sees: up to `highWaterMark` (inclusive) without the listed ranges, which are sorted by
  * their first ID. Python makes the text; a task only asks whether the change of a row is visible.
  */
final class ValidWriteIds private (highWaterMark: Long, firsts: Array[Long], lasts: Array[Long]) {

  def isValid(writeId: Long): Boolean = writeId <= highWaterMark && {
    val found = java.util.Arrays.binarySearch(firsts, writeId)
    val i = if (found >= 0) found else -found - 2
    i < 0 || writeId > lasts(i)
  }
}

object ValidWriteIds {

  /** From `db.table:highWaterMark:minOpen:open,…:aborted,…` (Hive's ValidReaderWriteIdList); trailing parts may be
    * missing, and Hive 4 writes runs of IDs as `a-b`, both inclusive.
    */
  def parse(text: String): ValidWriteIds = {
    val parts = text.split(":", -1)
    val ranges = parts.drop(3).flatMap(_.split(",")).filter(_.nonEmpty).map { id =>
      val Array(first, last) = if (id.indexOf('-', 1) > 0) id.split("-", 2) else Array(id, id)
      (first.toLong, last.toLong)
    }
    val sorted = ranges.sorted
    new ValidWriteIds(parts(1).toLong, sorted.map(_._1), sorted.map(_._2))
  }
}
