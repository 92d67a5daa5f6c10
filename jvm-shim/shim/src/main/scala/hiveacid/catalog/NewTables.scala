package hiveacid.catalog

import java.util.Locale

import hiveacid.errors.Refusal
import hiveacid.values.AcidTable
import hiveacid.wire.{DescribedColumn, DescribedTable}

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.command.DDLUtils
import org.apache.spark.sql.internal.HiveSerDe
import org.apache.spark.sql.types._

/** A new table as a metastore is told of it; the reverse of [[DescribedTables]]. */
object NewTables {
  private val HashProperty = "bucketing_version"
  private val Transactional = "transactional"
  private val TransactionalProperties = "transactional_properties"

  /** Columns that Hive gives every table, and shows in place of one of the same name (VirtualColumn.getRegistry and
    * SemanticAnalyzer.genTablePlan, 3.1.3 to 4.1.0). Fields of structs have names of their own.
    */
  private val VirtualColumns =
    Set("row__id", "row__is__deleted", "input__file__name", "block__offset__inside__file")

  /** Refuses a type that Hive does not have, and a table without columns of its own. */
  def described(t: CatalogTable): DescribedTable = {
    if (t.dataSchema.isEmpty) refuse(t, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_DATA_COLUMNS"))
    message(hashed(t))
  }

  /** Refuses columns of a type that Hive does not have, with a field that it cannot name, or of which it would show
    * something else. A collation is Spark's alone, and Hive has STRING there.
    */
  def refuseColumns(operation: String, t: CatalogTable, columns: Seq[StructField]): Unit = columns.foreach { column =>
    if (VirtualColumns(lowered(column.name)))
      refuse(t, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.VIRTUAL_COLUMN", Map("column" -> column.name)), operation)
    if (!isKnown(column.dataType, _.isInstanceOf[StringType])) refuseType(t, column, "COLUMN_TYPE", operation)
    fieldNames(column.dataType).find(!isFieldName(_)).foreach { field =>
      val parameters = Map("column" -> column.name, "field" -> field)
      refuse(t, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FIELD_NAME", parameters), operation)
    }
  }

  private def fieldNames(dataType: DataType): Seq[String] = dataType match {
    case StructType(fields)     => fields.toSeq.flatMap(f => f.name +: fieldNames(f.dataType))
    case ArrayType(element, _)  => fieldNames(element)
    case MapType(key, value, _) => fieldNames(key) ++ fieldNames(value)
    case _                      => Nil
  }

  /** As Hive reads the text of a type (TypeInfoUtils.TypeInfoParser.isTypeChar of 3.1.3 and 4.1.0). */
  private def isFieldName(name: String) = name.nonEmpty && name.forall(c => c.isLetterOrDigit || "_. $".contains(c))

  private def message(t: CatalogTable): DescribedTable = DescribedTable(
    table = AcidTable.name(t),
    kind = if (t.tableType == CatalogTableType.EXTERNAL) "EXTERNAL_TABLE" else "MANAGED_TABLE",
    owner = t.owner,
    createdS = 0,
    columns = t.dataSchema.map(column(t, _)),
    partitionColumns = t.partitionSchema.map(partitionColumn(t, _)),
    bucketColumns = t.bucketSpec.toSeq.flatMap(_.bucketColumnNames).map(lowered),
    bucketCount = t.bucketSpec.fold(0)(_.numBuckets),
    sortColumns = Nil,
    location = t.storage.locationUri.map(CatalogUtils.URIToString),
    inputFormat = t.storage.inputFormat,
    outputFormat = t.storage.outputFormat,
    serde = t.storage.serde,
    serdeProperties = t.storage.properties,
    properties = transactional(t.properties) ++ t.comment.map("comment" -> _)
  )

  /** The properties that make a table transactional, spelled and completed as Hive's own listener does it for tables of
    * the catalog `hive` alone (TransactionalValidationListener, 4.0.0 to 4.2.0).
    */
  private def transactional(properties: Map[String, String]): Map[String, String] = {
    val (ours, others) = properties.partition { case (key, _) =>
      key.toLowerCase(Locale.ROOT).startsWith(Transactional)
    }
    val spelled = ours.map { case (key, value) => lowered(key) -> value }
    val isAcid = spelled.get(Transactional).exists(_.equalsIgnoreCase("true"))
    others ++ (if (isAcid) Map(TransactionalProperties -> "default") else Map.empty[String, String]) ++ spelled
  }

  /** The table, bucketed by the hash that Hive gives its own new tables if it is bucketed at all; without the property
    * it would be the one before Hive 3.
    */
  def hashed(t: CatalogTable): CatalogTable =
    if (t.bucketSpec.isEmpty || t.properties.keys.exists(_.equalsIgnoreCase(HashProperty))) t
    else t.copy(properties = t.properties + (HashProperty -> "2"))

  /** The table as one of Hive's with files of ORC, with these properties besides its own. It is managed wherever it
    * lies, as a transactional table of Hive is.
    */
  def ofOrc(t: CatalogTable, properties: Map[String, String]): CatalogTable = {
    val orc = HiveSerDe.sourceToSerDe("orc").get
    val storage = t.storage
      .copy(inputFormat = orc.inputFormat, outputFormat = orc.outputFormat, serde = orc.serde, properties = Map.empty)
    t.copy(
      tableType = CatalogTableType.MANAGED,
      storage = storage,
      provider = Some(DDLUtils.HIVE_PROVIDER),
      properties = t.properties ++ properties
    )
  }

  private def partitionColumn(t: CatalogTable, field: StructField) = field.dataType match {
    case _: ArrayType | _: MapType | _: StructType => refuseType(t, field, "PARTITION_COLUMN_TYPE")
    case _                                         => column(t, field)
  }

  private def refuseType(
      t: CatalogTable,
      field: StructField,
      refusal: String,
      operation: String = "CREATE TABLE"
  ): Nothing = {
    val parameters = Map("column" -> field.name, "type" -> field.dataType.catalogString)
    refuse(t, Refusal(s"HIVE_ACID_UNSUPPORTED_TABLE.$refusal", parameters), operation)
  }

  private def refuse(t: CatalogTable, refusal: Refusal, operation: String = "CREATE TABLE"): Nothing =
    AcidTable.refuse(operation, t, refusal)

  private def column(t: CatalogTable, field: StructField) = {
    val dataType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    if (!isKnown(dataType)) refuseType(t, field, "COLUMN_TYPE")
    DescribedColumn(lowered(field.name), dataType.catalogString, field.getComment())
  }

  /** Whether Hive has the type. */
  private def isKnown(dataType: DataType, isText: DataType => Boolean = _ == StringType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case BinaryType | DateType | TimestampType                                                => true
    case t if isText(t)                                                                       => true
    case _: DecimalType | _: CharType | _: VarcharType                                        => true
    case ArrayType(element, _)  => isKnown(element, isText)
    case MapType(key, value, _) => isKnown(key, isText) && isKnown(value, isText)
    case StructType(fields)     => fields.forall(f => isKnown(f.dataType, isText))
    case _                      => false
  }

  private def lowered(name: String) = name.toLowerCase(Locale.ROOT)
}
