package hiveacid.wire

// The meaning of the fields stands in hive_acid/wire/table_detail.py.

/** A table as the catalog knows it. */
final case class TableDetail(
    name: String,
    owner: String,
    createdAtMs: Long,
    location: Option[String],
    numBuckets: Int,
    partitionColumns: Seq[String],
    bucketColumns: Seq[String],
    properties: Map[String, String],
    catalog: Option[CatalogRequest]
)
