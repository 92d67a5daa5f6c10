package hiveacid.analysis

import hiveacid.catalog.OwnTables
import hiveacid.scan.AcidRelation

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** The options of a DataFrame's reader that ask for an earlier version, and SQL's clauses for a table of a catalog with
  * a metastore of its own. Spark 3.5 ignores them for tables of the session catalog, so that the rows of now would
  * come; later lines refuse them by the same error. Before ResolveRelations, after which no node has the options.
  */
case class RefuseTimeTravel(session: SparkSession) extends Rule[LogicalPlan] {
  private val options = Seq("versionAsOf", "timestampAsOf")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case r: UnresolvedRelation
        if options.exists(r.options.containsKey(_)) && AcidRelation.read(session, r.multipartIdentifier).isDefined =>
      throw SparkAccess.timeTravelUnsupported(r.multipartIdentifier)
    // Spark would not find the table of a catalog that cannot travel
    case RelationTimeTravel(r: UnresolvedRelation, _, _) if OwnTables.isOwn(session, r.multipartIdentifier) =>
      throw SparkAccess.timeTravelUnsupported(r.multipartIdentifier)
  }
}
