package hiveacid.expressions

/** The source of a MERGE had other rows when it was read again. */
final class SourceChangedException extends RuntimeException("the source had other rows when it was read again")
