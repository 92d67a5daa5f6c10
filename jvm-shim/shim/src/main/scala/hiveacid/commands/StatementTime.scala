package hiveacid.commands

import org.apache.spark.sql.catalyst.optimizer.{ComputeCurrentTime, SpecialDatetimeValues}
import org.apache.spark.sql.catalyst.plans.logical.Union

/** The time as a value, as `current_timestamp()`, which Spark computes where it optimizes a plan. A statement is
  * planned more than once: for its locks, for what it writes, and again after a lost race.
  */
object StatementTime {

  /** The commands of one statement, all with the time of now. */
  def fix(commands: Seq[AcidWriteCommand]): Seq[AcidWriteCommand] = {
    val together = Union(commands.map(_.changes)) // one plan, so that all have one time
    val fixed = SpecialDatetimeValues(ComputeCurrentTime(together)).children
    commands.zip(fixed).map { case (command, changes) => command.over(changes) }
  }
}
