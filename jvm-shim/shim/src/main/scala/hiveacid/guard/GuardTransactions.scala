package hiveacid.guard

import hiveacid.commands.ExplainedStatements
import hiveacid.python.PythonSide
import hiveacid.scan.SessionTransactions
import hiveacid.wire.{OtherCommand, Wire}

import org.apache.spark.sql.catalyst.analysis.PersistedView
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{CreateFunctionCommand, CreateViewCommand, DropFunctionCommand}

/** Has Python judge commands that are not ours where the session is in a transaction of several statements. Ours refuse
  * for themselves what such a transaction cannot hold, and an EXPLAIN changes nothing.
  */
case class GuardTransactions(session: SparkSession) extends (LogicalPlan => Unit) {
  private def isOurs(command: Command) = command.getClass.getName.startsWith("hiveacid.")

  override def apply(plan: LogicalPlan): Unit = SessionTransactions.of(session).foreach { token =>
    plan.foreach {
      // one that is not resolved has an error of its own
      case c: Command if c.resolved && !isOurs(c) && !ExplainedStatements.isExplained(c) => ask(c, token)
      case _                                                                             =>
    }
  }

  private def ask(command: LogicalPlan, token: String): Unit = PythonSide.reachable(session).foreach { api =>
    val name = command.getClass.getName.split('.').last.stripSuffix("$")
    val asked = OtherCommand(name, isTemporary(command), token, PythonSide.settings(session))
    PythonSide.message[Option[String]](api.admit(Wire.write(asked)))
  }

  /** Whether what it makes or drops is of the session alone. */
  private def isTemporary(command: LogicalPlan) = command match {
    case v: CreateViewCommand     => v.viewType != PersistedView
    case f: CreateFunctionCommand => f.isTemp
    case f: DropFunctionCommand   => f.isTemp
    case _                        => false
  }
}
