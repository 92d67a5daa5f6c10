package hiveacid.analysis

import hiveacid.catalog.SessionTables
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.analysis.UnresolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{AddColumns, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.SparkAccess

/** `ADD COLUMN … FIRST` and `AFTER`: Spark's command for tables of Hive adds each column as the last one, and the next
  * INSERT would put values into other columns than its writer means. Before Spark makes that command, which has no
  * positions.
  */
case class RefusePositions(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case a @ AddColumns(t: UnresolvedTable, columns) if columns.exists(_.position.isDefined) =>
      SparkAccess.sessionIdentifier(session, t.multipartIdentifier).flatMap(SessionTables.find(session, _)).foreach {
        found =>
          val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_POSITION")
          throw AcidException.unsupported("ALTER TABLE … ADD COLUMNS", AcidTable.name(found), refusal)
      }
      a
  }
}
