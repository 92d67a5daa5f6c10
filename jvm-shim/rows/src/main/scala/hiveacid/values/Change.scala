package hiveacid.values

/** The values of `__change`; what they mean stands in `hive_acid/sql/row_changes.py`. */
object Change {
  val Insert: Byte = 0
  val Update: Byte = 1
  val Delete: Byte = 2
  val Nothing: Byte = 3
  val MovedAway: Byte = 4
  val MovedHere: Byte = 5
  val DeletedByAny: Byte = 6

  /** True for rows that have no ID yet. */
  def isNew(change: Byte): Boolean = change == Insert || change == MovedHere

  val all: Seq[Byte] = Seq(Insert, Update, Delete, Nothing, MovedAway, MovedHere, DeletedByAny)
}
