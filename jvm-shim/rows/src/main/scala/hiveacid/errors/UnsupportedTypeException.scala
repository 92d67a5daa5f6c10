package hiveacid.errors

/** A type, or a change of a column's type since the file was written, that is not read.
  *
  * @param refusal
  *   of HIVE_ACID_UNSUPPORTED_LAYOUT
  */
final class UnsupportedTypeException(val refusal: Refusal) extends RuntimeException(refusal.toString)
