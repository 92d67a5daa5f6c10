package hiveacid.scan

import java.util.Locale

import hiveacid.values.AcidTable
import hiveacid.wire.{AnalysedTable, Column}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.StructType

/** The table that a plan was made for, so that Python can tell whether the same table is behind its name when the plan
  * runs.
  */
object AnalysedTables {

  /** SerDes of which the metastore's own columns are the table's; others make their columns themselves, and Spark's
    * Hive client shows those (Hive's Table.getCols).
    */
  private val columnsOfTheMetastore =
    Set("OrcSerde", "ParquetHiveSerDe", "LazySimpleSerDe", "ColumnarSerDe", "LazyBinaryColumnarSerDe")

  /** True for a table whose columns are those that the metastore has of it. */
  def areOfTheMetastore(t: CatalogTable): Boolean =
    t.storage.serde.exists(s => columnsOfTheMetastore(s.split('.').last))

  /** The table as Spark's catalog showed it. */
  def describe(t: CatalogTable): AnalysedTable = {
    val properties = t.properties.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    AnalysedTable(
      table = AcidTable.name(t),
      createdS = math.max(0L, t.createTime / 1000),
      location = t.storage.locationUri.fold("")(_.toString),
      inputFormat = t.storage.inputFormat.getOrElse(""),
      properties = properties.filter { case (key, _) => key == "transactional" || key == "transactional_properties" },
      columns = if (areOfTheMetastore(t)) Some(columns(t.dataSchema)) else None,
      partitionColumns = columns(t.partitionSchema),
      bucketColumns = t.bucketSpec.fold(Seq.empty[String])(_.bucketColumnNames),
      bucketCount = t.bucketSpec.fold(0)(_.numBuckets)
    )
  }

  /** Every transactional table of a statement's catalog that its plan reads, as often as it was looked up. */
  def read(target: CatalogTable, plan: LogicalPlan): Seq[AnalysedTable] =
    AcidFileIndex.tablesBeside(target, plan).map(describe).distinct

  private def columns(schema: StructType): Seq[Column] = schema.map { field =>
    val rawType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    Column(field.name, rawType.catalogString)
  }
}
