package hiveacid.analysis

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** Names in the catalog that the metastore is behind, of tables that need not be there. */
final class SessionNames(session: SparkSession) {
  def unapply(name: LogicalPlan): Option[TableIdentifier] = name match {
    case UnresolvedIdentifier(parts, _) => SparkAccess.sessionIdentifier(session, parts)
    case _                              => None
  }
}
