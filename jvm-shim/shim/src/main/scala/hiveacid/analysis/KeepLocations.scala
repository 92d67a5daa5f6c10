package hiveacid.analysis

import hiveacid.values.AcidTable
import org.apache.spark.sql.catalyst.plans.logical.{CreateTable, CreateTableAsSelect, LogicalPlan, UnresolvedTableSpec}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** A new transactional table with a LOCATION is managed, as in Hive, unless it is EXTERNAL, too. Spark calls every
  * table with a LOCATION external, so the place travels as a property until Spark has made its command.
  */
case class KeepLocations(session: SparkSession) extends Rule[LogicalPlan] {
  private val Ours = new SessionNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case c @ CreateTable(Ours(_), _, _, spec: UnresolvedTableSpec, _) if isManaged(spec) =>
      c.copy(tableSpec = moved(spec))
    case c @ CreateTableAsSelect(Ours(_), _, _, spec: UnresolvedTableSpec, _, _, _) if isManaged(spec) =>
      c.copy(tableSpec = moved(spec))
  }

  private def isManaged(s: UnresolvedTableSpec) =
    s.location.isDefined && !s.external && AcidTable.setsTransactional(s.properties)

  private def moved(s: UnresolvedTableSpec) =
    s.copy(location = None, properties = s.properties + (PlaceNewTables.Location -> s.location.get))
}
