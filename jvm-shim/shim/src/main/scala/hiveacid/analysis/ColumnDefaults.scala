package hiveacid.analysis

import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.python.PythonSide

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.CURRENT_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.MetadataBuilder

/** The DEFAULT of columns, which Hive's metastore keeps where Spark does not look, at the target of a statement: there
  * Spark's own rules find them.
  */
object ColumnDefaults {
  private val AreKnown = TreeNodeTag[Boolean]("hiveacid.defaults.areKnown")

  /** Whether a statement that adds no row has the word DEFAULT somewhere. Without it, it needs no defaults. */
  def areNamed(statement: LogicalPlan): Boolean = statement.expressions.exists(_.exists {
    case UnresolvedAttribute(Seq(name)) => name.equalsIgnoreCase("DEFAULT")
    case _                              => false
  })

  /** The target with its defaults, asked for once per statement. */
  def of(session: SparkSession, target: LogicalPlan): LogicalPlan = target.transform {
    case l: LogicalRelation if AcidRelation.isOurs(l) && l.getTagValue(AreKnown).isEmpty =>
      val found = load(session, l.catalogTable.get)
      val known = if (found.isEmpty) l else l.copy(output = l.output.map(withDefault(_, found)))
      known.setTagValue(AreKnown, true)
      known
  }

  private def load(session: SparkSession, table: CatalogTable): Map[String, String] = {
    val answer = PythonSide.apiFor(session, table).columnDefaults(AcidTable.name(table))
    PythonSide.message[Map[String, String]](answer)
  }

  private def withDefault(column: AttributeReference, defaults: Map[String, String]): AttributeReference =
    defaults.collectFirst { case (name, value) if name.equalsIgnoreCase(column.name) => value }.fold(column) { value =>
      val metadata = new MetadataBuilder().withMetadata(column.metadata)
      column.withMetadata(metadata.putString(CURRENT_DEFAULT_COLUMN_METADATA_KEY, value).build())
    }
}
