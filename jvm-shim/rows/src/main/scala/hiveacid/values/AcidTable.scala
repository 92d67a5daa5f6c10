package hiveacid.values

import hiveacid.errors.{AcidException, Refusal}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** A transactional table as the catalog describes it. */
object AcidTable {

  /** Spark's name of the catalog that the metastore is behind. */
  val SessionCatalog = "spark_catalog"

  // the property that tells kinds of transactional tables apart
  private val Kind = "transactional_properties"

  /** Spark's property of CLUSTER BY (CatalogTable.PROP_CLUSTERING_COLUMNS, since 4.0). */
  val ClusteringColumns = "clusteringColumns"

  def isTransactional(t: CatalogTable): Boolean =
    t.tableType != CatalogTableType.VIEW && setsTransactional(t.properties)

  /** @param added
    *   properties that the table is about to have besides its own, or in their place
    */
  def isInsertOnly(t: CatalogTable, added: Map[String, String] = Map.empty): Boolean =
    property(added, Kind).orElse(property(t.properties, Kind)).exists(_.equalsIgnoreCase("insert_only"))

  private def property(properties: Map[String, String], key: String): Option[String] =
    properties.collectFirst { case (k, v) if k.equalsIgnoreCase(key) => v }

  /** True for table properties that make a table transactional. */
  def setsTransactional(properties: Map[String, String]): Boolean = properties.exists { case (key, value) =>
    key.equalsIgnoreCase("transactional") && value.equalsIgnoreCase("true")
  }

  /** True for table properties that make a table external in Hive. */
  def setsExternal(properties: Map[String, String]): Boolean =
    property(properties, "EXTERNAL").exists(_.equalsIgnoreCase("true"))

  /** As the table's metastore knows it: `database.table`. */
  def name(t: CatalogTable): String = key(t).copy(catalog = None).unquotedString

  /** Throws that an operation on the table is not supported. */
  def refuse(operation: String, t: CatalogTable, refusal: Refusal): Nothing =
    throw AcidException.unsupported(operation, name(t), refusal)

  /** The name in lower case, with that of a catalog that has a metastore of its own. */
  def key(t: CatalogTable): TableIdentifier = {
    def lowered(part: String) = part.toLowerCase(java.util.Locale.ROOT)
    val database = t.identifier.database.getOrElse("default")
    TableIdentifier(lowered(t.identifier.table), Some(lowered(database)), foreignCatalog(t))
  }

  /** The name of the catalog that the table is in, if that has a metastore of its own. */
  def foreignCatalog(t: CatalogTable): Option[String] = t.identifier.catalog.filter(_ != SessionCatalog)

  /** The partition columns, spelled as in the metastore's names of partitions. */
  def partitionKeys(t: CatalogTable): Seq[PartitionNames.Key] = t.partitionSchema.map { field =>
    val rawType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    PartitionNames.Key(field.name.toLowerCase(java.util.Locale.ROOT), rawType)
  }
}
