package hiveacid.analysis

import hiveacid.catalog.SessionTables
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.errors.Refusal

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{CreateTableCommand, CreateTableLikeCommand, DDLUtils}
import org.apache.spark.sql.hiveacid.RowAccess

/** CREATE TABLE … LIKE with the property of a transactional table: the table is what Spark would make of it
  * (CreateTableLikeCommand), but is created as any new one, at its place.
  */
case class ReplaceCreationsLike(session: SparkSession) extends Rule[LogicalPlan] {
  private val Operation = "CREATE TABLE … LIKE as a transactional table"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c: CreateTableLikeCommand if AcidTable.setsTransactional(c.properties) =>
      CreateTableCommand(described(c), c.ifNotExists)
    case c: CreateTableLikeCommand =>
      SessionTables.find(session, c.sourceTable).foreach(warn(c, _))
      c
  }

  /** Spark copies no properties. */
  private def warn(c: CreateTableLikeCommand, source: CatalogTable): Unit = {
    val name = session.sessionState.catalog.qualifyIdentifier(c.targetTable).copy(catalog = None).unquotedString
    val kind = source.properties.filter { case (key, _) => SpecifyTransactional.isOfKind(key) }.toSeq.sorted
    val properties = kind.map { case (key, value) => s"'$key'='$value'" }.mkString(", ")
    val statement = s"CREATE TABLE $name LIKE ${AcidTable.name(source)} TBLPROPERTIES ($properties)"
    logWarning(s"$name is not transactional, as ${AcidTable.name(source)} is. This statement makes it so: $statement")
  }

  private def described(c: CreateTableLikeCommand): CatalogTable = {
    val source = session.sessionState.catalog.getTempViewOrPermanentTableMetadata(c.sourceTable)
    val hasFormat = c.fileFormat.inputFormat.isDefined
    val provider = if (hasFormat) Some(DDLUtils.HIVE_PROVIDER) else c.provider.orElse(source.provider)
    val storage = if (hasFormat) c.fileFormat else source.storage.copy(locationUri = c.fileFormat.locationUri)
    val schema = CharVarcharUtils.getRawSchema(source.schema, session.sessionState.conf)
    val table = CatalogTable(
      identifier = session.sessionState.catalog.qualifyIdentifier(c.targetTable), // as parsed before 4.2
      tableType = CatalogTableType.MANAGED,
      storage = storage,
      schema = if (source.tableType == CatalogTableType.VIEW) RowAccess.nullable(schema) else schema,
      provider = provider,
      partitionColumnNames = source.partitionColumnNames,
      bucketSpec = source.bucketSpec,
      properties = c.properties,
      tracksPartitionsInCatalog = source.tracksPartitionsInCatalog
    )
    if (!provider.exists(_.equalsIgnoreCase(DDLUtils.HIVE_PROVIDER))) {
      AcidTable.refuse(Operation, table, Refusal("HIVE_ACID_UNSUPPORTED_TABLE.LIKE_DATA_SOURCE_TABLE"))
    }
    AcidRelation.formatOf(Operation, table)
    table
  }
}
