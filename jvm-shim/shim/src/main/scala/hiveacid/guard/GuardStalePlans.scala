package hiveacid.guard

import hiveacid.catalog.SessionTables
import hiveacid.scan.{AcidRelation, ReadZones}
import hiveacid.values.AcidTable
import hiveacid.errors.Refusal

import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Command, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.internal.SQLConf

/** Refuses what a plan that was right when it was analysed would misread when it is executed. */
case class GuardStalePlans(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(refuseOutdated)
    // other queries are asked when they are executed
    if (plan.isInstanceOf[Command])
      ReadZones.refuseOthers("Reading", ReadZones.of(plan), session.sessionState.conf.sessionLocalTimeZone)
    if (session.sessionState.conf.getConf(SQLConf.OPTIMIZER_METADATA_ONLY)) plan.foreach(refuseMetadataOnly)
    plan
  }

  /** DataFrames, temporary views and Spark's cache of data source tables keep a table's description, and the table may
    * have become transactional since.
    */
  private def refuseOutdated(node: LogicalPlan): Unit = GuardStalePlans.description(node).foreach { t =>
    if (!GuardStalePlans.isChecked(node)) {
      SessionTables.find(session, t.identifier).foreach { table =>
        AcidTable.refuse("Reading", table, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.STALE_PLAN"))
      }
      GuardStalePlans.markChecked(node)
    }
  }

  /** Spark would take the values of partition columns from the partitions' names, also where no row is left. */
  private def refuseMetadataOnly(node: LogicalPlan): Unit = node match {
    case a: Aggregate =>
      a.foreach {
        case l: LogicalRelation if AcidRelation.isOurs(l) && l.catalogTable.exists(_.partitionColumnNames.nonEmpty) =>
          val setting = Map("setting" -> SQLConf.OPTIMIZER_METADATA_ONLY.key)
          val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.METADATA_ONLY", setting)
          AcidTable.refuse("Aggregation", l.catalogTable.get, refusal)
        case _ =>
      }
    case _ =>
  }
}

object GuardStalePlans {

  /** The query in which the table has been looked up, because this rule runs several times in each. */
  private val checkedIn = TreeNodeTag[QueryPlanningTracker]("hiveacid.checkedIn")

  private def markChecked(node: LogicalPlan): Unit = QueryPlanningTracker.get.foreach(node.setTagValue(checkedIn, _))

  private def isChecked(node: LogicalPlan): Boolean =
    QueryPlanningTracker.get.exists(query => node.getTagValue(checkedIn).exists(_ eq query))

  /** The node's description of a table that is read by Spark's own reader. */
  private def description(node: LogicalPlan): Option[CatalogTable] = node match {
    case h: HiveTableRelation                          => Some(h.tableMeta)
    case l: LogicalRelation if !AcidRelation.isOurs(l) => l.catalogTable
    case _                                             => None
  }
}
