package org.apache.spark.sql.hive.hiveacid

import org.apache.hadoop.fs.Path

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTablePartition, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hive.execution.HiveTableScanExec

/** private[hive]; Spark's reader of tables of Hive, on some of a table's files. */
object HiveScan {
  private val transactional = Set("transactional", "transactional_properties")

  /** @param files
    *   each with the partition that it belongs to, none in a flat table
    * @param requested
    *   some of the columns `data` and `partition`
    */
  def rows(
      session: SparkSession,
      table: CatalogTable,
      requested: Seq[Attribute],
      data: Seq[AttributeReference],
      partition: Seq[AttributeReference],
      files: Seq[(Path, Option[CatalogTablePartition])]
  ): RDD[InternalRow] = {
    val plain = table.copy(properties = table.properties.filterNot { case (key, _) => transactional(key) })
    def scan(of: CatalogTable, partitions: Option[Seq[CatalogTablePartition]]) =
      HiveTableScanExec(requested, HiveTableRelation(of, data, partition, None, partitions), Nil)(session).execute()
    val placed = files.map { case (path, p) => path.toUri -> p }
    if (placed.isEmpty) session.sparkContext.emptyRDD
    else if (partition.isEmpty)
      session.sparkContext.union(placed.map { case (uri, _) =>
        scan(plain.copy(storage = plain.storage.copy(locationUri = Some(uri))), None)
      })
    else
      scan(
        plain,
        Some(placed.map { case (uri, p) =>
          val known = p.getOrElse(throw new IllegalStateException(s"$uri belongs to no partition"))
          known.copy(storage = known.storage.copy(locationUri = Some(uri)))
        })
      )
  }
}
