package hiveacid.scan

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.formats.parquet.Conversion
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.{DataType, TimestampType}

/** The time zone in which a plan reads the TIMESTAMPs of a table.
  *
  * @param table
  *   `db.table`
  */
final case class ReadZone(table: String, zone: String)

/** Hive's TIMESTAMPs have no zone, and a plan reads them in that of its session. It keeps the zone: a DataFrame, a
  * temporary view or a cache would show and write shifted clocks once the session has another.
  */
object ReadZones {

  /** The zones in which a query reads TIMESTAMPs of transactional tables, whether from their files or from a cache.
    * Scans that are bound to a statement's snapshot are left out: the statement was judged as a whole.
    */
  def of(plan: LogicalPlan): Seq[ReadZone] = find(plan, None).distinct

  /** Refuses what was made in another zone.
    *
    * @throws AcidException
    *   HIVE_ACID_UNSUPPORTED_STATEMENT.STALE_TIME_ZONE
    */
  def refuseOthers(operation: String, zones: Seq[ReadZone], sessionZone: String): Unit =
    zones.find(z => !isSame(z.zone, sessionZone)).foreach { case ReadZone(table, zone) =>
      val refusal = Refusal(
        "HIVE_ACID_UNSUPPORTED_STATEMENT.STALE_TIME_ZONE",
        Map("zone" -> zone, "sessionZone" -> sessionZone)
      )
      throw AcidException.unsupported(operation, table, refusal)
    }

  /** Whether all clocks are the same instants in both zones. */
  def isSame(one: String, other: String): Boolean =
    one == other || DateTimeUtils.getZoneId(one).getRules == DateTimeUtils.getZoneId(other).getRules

  def holdsTimestamp(t: DataType): Boolean = Conversion.holds(t)(_ == TimestampType)

  /** @param needed
    *   the columns that the nodes above use; None: all of them
    */
  private def find(plan: LogicalPlan, needed: Option[AttributeSet]): Seq[ReadZone] = {
    val within = plan.expressions.flatMap(_.collect { case s: SubqueryExpression => find(s.plan, None) }.flatten)
    within ++ (plan match {
      case AcidScan(l, _, index)    => ofTable(l, index, needed)
      case cached: InMemoryRelation => BoundQueryExec.ofCaches(cached).flatMap(_.zones)
      case other                    => other.children.flatMap(find(_, neededBelow(other, needed)))
    })
  }

  /** Other nodes may use a column that none of their expressions names: a DISTINCT all of them, a UNION by position. */
  private def neededBelow(node: LogicalPlan, above: Option[AttributeSet]): Option[AttributeSet] = node match {
    case _: Project | _: Aggregate                                                         => Some(node.references)
    case _: Filter | _: Join | _: Sort | _: SubqueryAlias | _: GlobalLimit | _: LocalLimit =>
      above.map(_ ++ node.references)
    case _ => None
  }

  private def ofTable(l: LogicalRelation, index: AcidFileIndex, needed: Option[AttributeSet]): Seq[ReadZone] = {
    val reads = l.output.exists(a => holdsTimestamp(a.dataType) && needed.forall(_.contains(a)))
    if (index.token.isEmpty && reads) Seq(ReadZone(AcidTable.name(l.catalogTable.get), index.timeZone)) else Nil
  }
}
