package hiveacid.wire

/** A partition whose name is not Hive's, and the one that Hive gives its values. */
final case class Misspelling(name: String, wanted: String)
