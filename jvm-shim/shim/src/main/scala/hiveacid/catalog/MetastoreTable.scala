package hiveacid.catalog

import java.util

import scala.jdk.CollectionConverters._

import hiveacid.errors.Refusal
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.catalog.{Table, TableCapability, TableCatalog}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType

/** A table or view of a catalog with a metastore of its own. Spark resolves names to it, and describes it; rules of
  * ours put our relation in its place where rows are read or written, and refuse it there if it is not transactional.
  */
final class MetastoreTable(val description: CatalogTable) extends Table {
  override def name: String = description.identifier.unquotedString
  override def schema: StructType = CharVarcharUtils.getRawSchema(description.schema)
  override def partitioning: Array[Transform] = description.partitionColumnNames.map(Expressions.identity).toArray
  override def capabilities: util.Set[TableCapability] = util.Set.of()

  override def properties: util.Map[String, String] = {
    val location = description.storage.locationUri.map(CatalogUtils.URIToString)
    val own = Map(TableCatalog.PROP_PROVIDER -> "hive", TableCatalog.PROP_OWNER -> description.owner)
    (description.properties ++ own ++ location.map(TableCatalog.PROP_LOCATION -> _)).asJava
  }
}

object MetastoreTable {

  /** The table behind a relation node of Spark's. */
  def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
    case r: DataSourceV2Relation => of(r.table)
    case _                       => None
  }

  def of(table: Table): Option[CatalogTable] = table match {
    case t: MetastoreTable => Some(t.description)
    case _                 => None
  }

  /** Refuses a table of such a catalog that is not for us. */
  def refusePlain(operation: String, t: CatalogTable): Unit =
    AcidTable.foreignCatalog(t).filterNot(_ => AcidTable.isTransactional(t)).foreach { catalog =>
      val refusal =
        if (t.tableType == CatalogTableType.VIEW) Refusal("HIVE_ACID_UNSUPPORTED_TABLE.VIEW")
        else Refusal("HIVE_ACID_UNSUPPORTED_TABLE.OWN_CATALOG", Map("catalog" -> catalog))
      AcidTable.refuse(operation, t, refusal)
    }
}
