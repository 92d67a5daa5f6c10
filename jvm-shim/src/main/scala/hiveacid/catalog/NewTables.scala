package hiveacid.catalog

import java.util.Locale

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.values.AcidTable
import hiveacid.wire.{DescribedColumn, DescribedTable}

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

/** A new table as a metastore is told of it; the reverse of [[DescribedTables]]. */
object NewTables {
  private val HashProperty = "bucketing_version"

  def described(t: CatalogTable): DescribedTable = DescribedTable(
    table = AcidTable.name(t),
    kind = if (t.tableType == CatalogTableType.EXTERNAL) "EXTERNAL_TABLE" else "MANAGED_TABLE",
    owner = t.owner,
    createdS = 0,
    columns = t.dataSchema.map(column(t, _)),
    partitionColumns = t.partitionSchema.map(column(t, _)),
    bucketColumns = t.bucketSpec.toSeq.flatMap(_.bucketColumnNames).map(lowered),
    bucketCount = t.bucketSpec.fold(0)(_.numBuckets),
    sortColumns = Nil,
    location = t.storage.locationUri.map(CatalogUtils.URIToString),
    inputFormat = t.storage.inputFormat,
    outputFormat = t.storage.outputFormat,
    serde = t.storage.serde,
    serdeProperties = t.storage.properties,
    properties = hashed(t) ++ t.comment.map("comment" -> _)
  )

  /** Bucketed by the hash that Hive gives its own new tables; without the property it would be the one before Hive 3.
    */
  private def hashed(t: CatalogTable) =
    if (t.bucketSpec.isEmpty || t.properties.keys.exists(_.equalsIgnoreCase(HashProperty))) t.properties
    else t.properties + (HashProperty -> "2")

  private def column(t: CatalogTable, field: StructField) = {
    val dataType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    if (!isKnown(dataType)) {
      val refusal = Refusal(
        "HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE",
        Map("column" -> field.name, "type" -> dataType.catalogString)
      )
      throw AcidException.unsupported("CREATE TABLE", AcidTable.name(t), refusal)
    }
    DescribedColumn(lowered(field.name), dataType.catalogString, field.getComment())
  }

  /** Whether Hive has the type. */
  private def isKnown(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case StringType | BinaryType | DateType | TimestampType                                   => true
    case _: DecimalType | _: CharType | _: VarcharType                                        => true
    case ArrayType(element, _)                                                                => isKnown(element)
    case MapType(key, value, _) => isKnown(key) && isKnown(value)
    case StructType(fields)     => fields.forall(f => isKnown(f.dataType))
    case _                      => false
  }

  private def lowered(name: String) = name.toLowerCase(Locale.ROOT)
}
