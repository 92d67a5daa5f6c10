package hiveacid.guard

import hiveacid.commands.AcidMultiInsertCommand
import hiveacid.errors.Refusal
import hiveacid.scan.{AcidRelation, ReadZones}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** Refuses texts that compute with a transactional table's TIMESTAMPs in another time zone than the session's: those of
  * views and functions, which keep the zone in which they were made for their literals and functions. Hive's TIMESTAMPs
  * have no zone, and are read in the session's.
  *
  * A check rule, for a view is still a node of the plan then. A column that a view only passes on is right.
  */
case class GuardTimeZones(session: SparkSession) extends (LogicalPlan => Unit) {
  private def zone = session.sessionState.conf.sessionLocalTimeZone

  override def apply(plan: LogicalPlan): Unit = {
    plan match {
      case v: View if !isSame(zoneOf(v)) =>
        if (computes(v.child))
          withTimestamps(v.child).foreach(refuse(_, s"Reading view ${v.desc.identifier.table}", zoneOf(v)))
      case AcidRelation.OfFunction(l, other) if !isSame(other) && holdsTimestamp(l) =>
        refuse(l, "Reading in a function", other)
      case m: AcidMultiInsertCommand => m.inserts.foreach(i => apply(i.changes))
      case _                         =>
    }
    (plan.children ++ plan.subqueries).foreach(apply)
  }

  private def zoneOf(v: View) = View.effectiveSQLConf(v.desc.viewSQLConfigs, v.isTempView).sessionLocalTimeZone

  private def isSame(other: String) = ReadZones.isSame(other, zone)

  private def withTimestamps(plan: LogicalPlan): Option[LogicalRelation] =
    plan.collectWithSubqueries {
      case l: LogicalRelation if AcidRelation.isOurs(l) && holdsTimestamp(l) => l
    }.headOption

  private def holdsTimestamp(l: LogicalRelation): Boolean = l.output.exists(a => ReadZones.holdsTimestamp(a.dataType))

  /** Other views within are judged by themselves. */
  private def computes(plan: LogicalPlan): Boolean = plan match {
    case _: View => false
    case other   => other.expressions.exists(computes) || (other.children ++ other.subqueries).exists(computes)
  }

  private def computes(e: Expression): Boolean = e match {
    case _: Alias | _: SortOrder | _: IsNull | _: IsNotNull => e.children.exists(computes)
    case c: Cast if c.child.dataType == c.dataType          => computes(c.child)
    case other => other.children.exists(c => ReadZones.holdsTimestamp(c.dataType) || computes(c))
  }

  private def refuse(l: LogicalRelation, operation: String, other: String): Unit = {
    val zones = Map("zone" -> other, "sessionZone" -> zone)
    AcidTable.refuse(operation, l.catalogTable.get, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_TIME_ZONE", zones))
  }
}
