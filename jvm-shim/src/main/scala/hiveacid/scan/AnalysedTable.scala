package hiveacid.scan

import java.util.Locale

import hiveacid.values.AcidTable
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.StructType

/** The table that a plan was made for, so that Python can tell whether the same table is behind its name when the plan
  * runs.
  */
object AnalysedTable {
  private val json = new ObjectMapper

  /** SerDes of which the metastore's own columns are the table's; others make their columns themselves, and Spark's
    * Hive client shows those (Hive's Table.getCols).
    */
  private val withoutOwnColumns =
    Set("OrcSerde", "ParquetHiveSerDe", "LazySimpleSerDe", "ColumnarSerDe", "LazyBinaryColumnarSerDe")

  /** The table as Spark's catalog showed it. */
  def describe(t: CatalogTable): ObjectNode = {
    val node = json.createObjectNode().put("table", AcidTable.name(t))
    node.put("createdS", math.max(0L, t.createTime / 1000))
    node.put("location", t.storage.locationUri.fold("")(_.toString))
    node.put("inputFormat", t.storage.inputFormat.getOrElse(""))
    val properties = node.putObject("properties")
    t.properties.foreach { case (key, value) =>
      val lower = key.toLowerCase(Locale.ROOT)
      if (lower == "transactional" || lower == "transactional_properties") properties.put(lower, value)
    }
    if (t.storage.serde.exists(s => withoutOwnColumns(s.split('.').last))) putColumns(node, "columns", t.dataSchema)
    putColumns(node, "partitionColumns", t.partitionSchema)
    val buckets = node.putArray("bucketColumns")
    t.bucketSpec.foreach(_.bucketColumnNames.foreach(c => buckets.add(c)))
    node.put("bucketCount", t.bucketSpec.fold(0)(_.numBuckets))
  }

  /** Every transactional table that the plan reads, as often as it was looked up. */
  def read(plan: LogicalPlan): Seq[JsonNode] =
    plan.collectWithSubqueries {
      case l: LogicalRelation if AcidRelation.isOurs(l) => describe(l.catalogTable.get)
    }.distinct

  private def putColumns(node: ObjectNode, key: String, columns: StructType): Unit = {
    val array = node.putArray(key)
    columns.foreach { field =>
      val rawType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
      array.addArray().add(field.name).add(rawType.catalogString)
    }
  }
}
