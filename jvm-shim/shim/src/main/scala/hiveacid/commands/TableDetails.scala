package hiveacid.commands

import hiveacid.catalog.ForeignTables
import hiveacid.values.AcidTable
import hiveacid.wire.TableDetail

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogUtils}
import org.apache.spark.sql.classic.SparkSession

/** The catalog's knowledge of a table, as Python is told of it. */
object TableDetails {

  def of(session: SparkSession, table: CatalogTable): TableDetail = TableDetail(
    name = AcidTable.name(table),
    owner = table.owner,
    createdAtMs = table.createTime,
    location = table.storage.locationUri.map(CatalogUtils.URIToString),
    numBuckets = table.bucketSpec.fold(0)(_.numBuckets),
    partitionColumns = table.partitionColumnNames,
    bucketColumns = table.bucketSpec.fold(Seq.empty[String])(_.bucketColumnNames),
    properties = table.properties,
    catalog = ForeignTables.catalogOf(session, table).map(_.request)
  )
}
