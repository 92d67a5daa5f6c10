package hiveacid.errors

/** A value that its column's type in the file cannot hold. The message tells what kind of value it is, not which.
  *
  * @param column
  *   the table's, empty where that is not known yet
  */
final class UnwritableValueException(message: String, val column: String = "") extends RuntimeException(message)
