package hiveacid.analysis

import java.util.Locale

import hiveacid.catalog.ForeignTables
import hiveacid.errors.Refusal
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** The options of a reader that would change which rows are read, and SQL's clauses of time travel for a table of a
  * catalog with a metastore of its own. Spark ignores most options for tables of the session catalog, so that the rows
  * of now would come; those of time travel, which its later lines refuse, have the same error on each. Before
  * ResolveRelations, after which no node has the options.
  */
case class RefuseReadOptions(session: SparkSession) extends Rule[LogicalPlan] {
  private val timeTravel = Set("versionasof", "timestampasof")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case r: UnresolvedRelation if !r.isStreaming && StatedOptions.of(r).nonEmpty =>
      AcidRelation.read(session, r.multipartIdentifier).foreach(refuse(r, _))
      r
    // Spark would not find the table of a catalog that cannot travel
    case RelationTimeTravel(r: UnresolvedRelation, _, _) if ForeignTables.isForeign(session, r.multipartIdentifier) =>
      throw SparkAccess.timeTravelUnsupported(r.multipartIdentifier)
  }

  private def refuse(r: UnresolvedRelation, table: CatalogTable): Unit = {
    val options = StatedOptions.of(r).keys
    if (options.exists(option => timeTravel(option.toLowerCase(Locale.ROOT))))
      throw SparkAccess.timeTravelUnsupported(r.multipartIdentifier)
    options.find(TableOption.of(_).reads == "refused").foreach { option =>
      AcidTable.refuse("Reading", table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OPTION", Map("option" -> option)))
    }
  }
}
