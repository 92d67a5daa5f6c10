package hiveacid.errors

/** A value that its column's type in the file cannot hold. The refusal tells what kind of value it is, not which.
  *
  * @param refusal
  *   of HIVE_ACID_UNWRITABLE_VALUE
  * @param column
  *   the table's, empty where that is not known yet
  */
final class UnwritableValueException(val refusal: Refusal, val column: String = "")
    extends RuntimeException(refusal.toString)
