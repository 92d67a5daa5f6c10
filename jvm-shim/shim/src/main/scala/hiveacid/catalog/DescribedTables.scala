package hiveacid.catalog

import scala.util.Try

import hiveacid.values.HiveColumns
import hiveacid.wire.DescribedTable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** A metastore's description of a table as Spark's own Hive client would hand it over (HiveClientImpl). */
object DescribedTables {

  /** @param identifier
    *   with the catalog's name
    */
  def catalogTable(identifier: TableIdentifier, d: DescribedTable): CatalogTable = {
    val columns = (d.columns ++ d.partitionColumns).map(column => (column.name, column.`type`, column.comment))
    CatalogTable(
      identifier = identifier,
      tableType = tableType(d.kind),
      storage = CatalogStorageFormat(
        locationUri = d.location.map(CatalogUtils.stringToURI),
        inputFormat = d.inputFormat,
        outputFormat = d.outputFormat,
        serde = d.serde,
        compressed = false,
        properties = d.serdeProperties
      ),
      schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(HiveColumns.schema(d.table, columns)),
      provider = Some("hive"),
      partitionColumnNames = d.partitionColumns.map(_.name),
      bucketSpec = Some(d.bucketCount).filter(_ > 0).map(BucketSpec(_, d.bucketColumns, d.sortColumns)),
      owner = d.owner,
      createTime = d.createdS * 1000,
      properties = d.properties,
      stats = size(d.properties).map(CatalogStatistics(_)),
      comment = d.properties.get("comment"),
      tracksPartitionsInCatalog = true
    )
  }

  private def tableType(kind: String): CatalogTableType = kind match {
    case "EXTERNAL_TABLE"                     => CatalogTableType.EXTERNAL
    case "VIRTUAL_VIEW" | "MATERIALIZED_VIEW" => CatalogTableType.VIEW
    case _                                    => CatalogTableType.MANAGED
  }

  private def size(properties: Map[String, String]): Option[BigInt] =
    properties.get("totalSize").flatMap(text => Try(BigInt(text)).toOption).filter(_ > 0)
}
