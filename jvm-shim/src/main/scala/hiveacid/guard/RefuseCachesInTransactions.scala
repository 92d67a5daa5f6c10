package hiveacid.guard

import hiveacid.scan.{AcidFileIndex, SessionTransactions}

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.columnar.InMemoryRelation

/** A cache is shared by all sessions and is of no snapshot: a transaction must neither read one nor fill one with rows
  * that nobody else may see yet.
  */
case class RefuseCachesInTransactions(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (SessionTransactions.of(session).isDefined) plan.foreach {
      case cached: InMemoryRelation =>
        cached.cacheBuilder.cachedPlan.collectLeaves().collectFirst {
          case scan: FileSourceScanExec if scan.relation.location.isInstanceOf[AcidFileIndex] =>
            val table = scan.tableIdentifier.fold("a transactional table")(_.unquotedString)
            throw SessionTransactions.refusal("Reading or filling a cache", table)
        }
      case _ =>
    }
    plan
  }
}
