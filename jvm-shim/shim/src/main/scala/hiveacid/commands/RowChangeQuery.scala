package hiveacid.commands

import hiveacid.plugins.TableStatement
import hiveacid.values.RowWrites

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The row-change query of a statement.
  *
  * @param plan
  *   analysed, but for the query of an INSERT, in which names are still to be resolved
  * @param writes
  *   which changes there are
  * @param stays
  *   true if new versions of rows lie in the old ones' partitions, and no other rows are new
  */
final case class RowChangeQuery(plan: LogicalPlan, writes: RowWrites, stays: Boolean) {
  lazy val read: Option[TargetRead] = TargetRead.of(plan)
}

object RowChangeQuery {

  /** The names of the target and of the source of a MERGE in it. */
  val Target: String = TableStatement.TargetName
  val Source = "__source"
}
