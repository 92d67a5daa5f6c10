package hiveacid.wire

/** A column by its name and Hive's spelling of its type. */
final case class Column(name: String, `type`: String)

/** The same as the metastore describes it. */
final case class DescribedColumn(name: String, `type`: String, comment: Option[String])
