package hiveacid.formats

/** The use of the values that a scan reads. It matters where a file holds columns encrypted: a session without their
  * keys reads a mask in place of the values, and new files are written without encryption.
  */
sealed trait ValueUse

object ValueUse {

  /** A query shows them, or they go to another table. */
  case object Shown extends ValueUse

  /** They decide on what DELETE or MERGE does, and are not written. */
  case object Decides extends ValueUse

  /** They are written again, in place of the files that are read. */
  case object Stored extends ValueUse

  /** The same by UPDATE or MERGE, or by an erasure: a wall clock that would come back as another is an error. */
  case object WrittenBack extends ValueUse
}
