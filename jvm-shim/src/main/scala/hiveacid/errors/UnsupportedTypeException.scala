package hiveacid.errors

/** A type, or a change of a column's type since the file was written, that is not read. */
final class UnsupportedTypeException(message: String) extends RuntimeException(message)
