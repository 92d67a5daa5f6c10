package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/catalogs.py.

/** A catalog of the session that has a metastore of its own. */
final case class CatalogRequest(name: String, options: Map[String, String])

/** A table as the metastore describes it. */
final case class DescribedTable(
    table: String,
    kind: String,
    owner: String,
    createdS: Long,
    columns: Seq[DescribedColumn],
    partitionColumns: Seq[DescribedColumn],
    bucketColumns: Seq[String],
    bucketCount: Int,
    sortColumns: Seq[String],
    location: Option[String],
    inputFormat: Option[String],
    outputFormat: Option[String],
    serde: Option[String],
    serdeProperties: Map[String, String],
    properties: Map[String, String]
)

/** A column that is to be made. The meaning of the fields stands in hive_acid/wire/new_tables.py. */
final case class NewColumn(name: String, `type`: String, atoms: Seq[String], fields: Seq[String])

/** A transactional table that is to be made. */
final case class NewTable(
    table: String,
    isExternal: Boolean,
    isInsertOnly: Boolean,
    isOrc: Boolean,
    columns: Seq[NewColumn],
    partitionColumns: Seq[NewColumn],
    sortColumns: Seq[String],
    location: Option[String],
    usualLocation: Option[String],
    hasCollations: Boolean
)

/** A transactional table that is to be dropped. */
final case class DropTableRequest(table: String, purges: Boolean, isLocked: Boolean, settings: Map[String, String])

/** A database that is to be dropped. */
final case class DropDatabaseRequest(name: String, cascades: Boolean, settings: Map[String, String])

/** A database as the metastore describes it. */
final case class DescribedDatabase(
    name: String,
    comment: Option[String],
    location: Option[String],
    owner: Option[String],
    properties: Map[String, String]
)
