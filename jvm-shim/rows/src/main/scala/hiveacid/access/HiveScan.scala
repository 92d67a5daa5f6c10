package org.apache.spark.sql.hive.hiveacid

import hiveacid.formats.{SkippedLines, WholeTextInputFormat}
import org.apache.hadoop.fs.Path

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTablePartition,
  HiveTableRelation
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.hive.execution.HiveTableScanExec

/** private[hive]; Spark's reader of tables of Hive, on some of a table's files. */
object HiveScan {

  /** A scan by it. */
  def unapply(plan: SparkPlan): Option[SparkPlan] = Some(plan).filter(_.isInstanceOf[HiveTableScanExec])

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
    val skipped = SkippedLines.of(table)
    def storage(of: CatalogStorageFormat, path: Path) = {
      val here = of.copy(locationUri = Some(path.toUri))
      if (skipped.isNone) here else here.copy(inputFormat = Some(classOf[WholeTextInputFormat].getName))
    }
    def one(path: Path, p: Option[CatalogTablePartition]) =
      if (partition.isEmpty) scan(plain.copy(storage = storage(plain.storage, path)), None)
      else scan(plain, Some(Seq(partitionOf(path, p))))
    def partitionOf(path: Path, p: Option[CatalogTablePartition]) = {
      val known = p.getOrElse(throw new IllegalStateException(s"$path belongs to no partition"))
      known.copy(storage = storage(known.storage, path))
    }
    if (files.isEmpty) session.sparkContext.emptyRDD
    else if (!skipped.isNone) session.sparkContext.union(files.map { case (path, p) => skipped.drop(one(path, p)) })
    else if (partition.isEmpty) session.sparkContext.union(files.map { case (path, p) => one(path, p) })
    else scan(plain, Some(files.map { case (path, p) => partitionOf(path, p) }))
  }
}
