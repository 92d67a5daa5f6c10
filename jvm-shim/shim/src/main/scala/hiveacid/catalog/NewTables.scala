package hiveacid.catalog

import java.util.Locale

import hiveacid.python.{PythonApi, PythonSide}
import hiveacid.read.FormatChoice
import hiveacid.values.AcidTable
import hiveacid.wire.{DescribedColumn, DescribedTable, NewColumn, NewTable, Wire}

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.command.DDLUtils
import org.apache.spark.sql.internal.HiveSerDe
import org.apache.spark.sql.types._

/** A new table as Python is asked about it, and as a metastore is told of it; the reverse of [[DescribedTables]]. */
object NewTables {
  private val HashProperty = "bucketing_version"
  private val Transactional = "transactional"
  private val TransactionalProperties = "transactional_properties"

  /** As the metastore is told of it. */
  def described(table: CatalogTable): DescribedTable = message(hashed(table))

  /** Where Python wants it to lie, if not at the one of these locations that there is first; refuses one that Hive
    * would not take.
    */
  def ask(
      api: PythonApi,
      t: CatalogTable,
      location: Option[String],
      usualLocation: Option[String]
  ): Option[String] =
    PythonSide.message[Option[String]](api.newTable(Wire.write(asked(t, location, usualLocation))))

  private def asked(t: CatalogTable, location: Option[String], usualLocation: Option[String]) = NewTable(
    table = AcidTable.name(t),
    isExternal = t.tableType == CatalogTableType.EXTERNAL || AcidTable.setsExternal(t.properties),
    isInsertOnly = AcidTable.isInsertOnly(t),
    isOrc = FormatChoice.of(t).exists(_.word == FormatChoice.AcidOrc.word),
    columns = t.dataSchema.map(newColumn),
    partitionColumns = t.partitionSchema.map(newColumn),
    sortColumns = t.bucketSpec.toSeq.flatMap(_.sortColumnNames),
    location = location,
    usualLocation = usualLocation,
    hasCollations = AcidTable.foreignCatalog(t).isEmpty
  )

  def newColumn(field: StructField): NewColumn = {
    val dataType = rawType(field)
    NewColumn(field.name, dataType.catalogString, atoms(dataType), fieldNames(dataType))
  }

  private def atoms(dataType: DataType): Seq[String] = dataType match {
    case StructType(fields)     => fields.toSeq.flatMap(f => atoms(f.dataType))
    case ArrayType(element, _)  => atoms(element)
    case MapType(key, value, _) => atoms(key) ++ atoms(value)
    case atom                   => Seq(atom.catalogString)
  }

  private def fieldNames(dataType: DataType): Seq[String] = dataType match {
    case StructType(fields)     => fields.toSeq.flatMap(f => f.name +: fieldNames(f.dataType))
    case ArrayType(element, _)  => fieldNames(element)
    case MapType(key, value, _) => fieldNames(key) ++ fieldNames(value)
    case _                      => Nil
  }

  private def message(t: CatalogTable): DescribedTable = DescribedTable(
    table = AcidTable.name(t),
    kind = if (t.tableType == CatalogTableType.EXTERNAL) "EXTERNAL_TABLE" else "MANAGED_TABLE",
    owner = t.owner,
    createdS = 0,
    columns = t.dataSchema.map(column),
    partitionColumns = t.partitionSchema.map(column),
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

  private def column(field: StructField) =
    DescribedColumn(lowered(field.name), rawType(field).catalogString, field.getComment())

  /** CHAR and VARCHAR, too. */
  private def rawType(field: StructField) = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  private def lowered(name: String) = name.toLowerCase(Locale.ROOT)
}
