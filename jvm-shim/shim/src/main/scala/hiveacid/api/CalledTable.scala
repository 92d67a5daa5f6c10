package hiveacid.api

import hiveacid.python.{PythonApi, PythonSide}
import hiveacid.values.AcidTable
import hiveacid.wire.{CalledClause, TableCall, TableQuestion, Wire}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** One call of a method of `hive_acid.AcidTable`, as a plan.
  *
  * @param column
  *   the column that the call tells by this place
  * @param source
  *   that of a MERGE
  */
final class CalledTable(
    session: SparkSession,
    table: AcidTablePlans,
    call: TableCall,
    column: Int => Expression,
    source: => LogicalPlan
) {

  def plan: LogicalPlan = call.method match {
    case "describe" => answer(Wire.write(table.detail))
    case "content"  => ask(_.tableContent(_))
    case "history"  => ask(_.tableHistory(_))
    case "delete"   => table.delete(call.condition.map(column))
    case "update"   => table.update(call.condition.map(column), call.keys, call.values.map(column))
    case "merge"    => merge
    case "truncate" => table.truncate(call.partition.map(_.map { case (name, text) => name -> text.orNull }))
    case "compact"  => table.operate(call.statement.get)
  }

  private def merge: LogicalPlan = {
    def clauses(group: String) = call.clauses.filter(_.group == group).map(action)
    table.merge(
      source,
      column(call.condition.get),
      clauses("matched"),
      clauses("notMatched"),
      clauses("notMatchedBySource")
    )
  }

  private def action(clause: CalledClause): MergeAction = {
    val condition = clause.condition.map(column)
    val assigned = clause.keys.map(table.assignments(_, clause.values.get.map(column)))
    clause.action match {
      case "delete" => DeleteAction(condition)
      case "update" => assigned.fold[MergeAction](UpdateStarAction(condition))(UpdateAction(condition, _))
      case "insert" => assigned.fold[MergeAction](InsertStarAction(condition))(InsertAction(condition, _))
    }
  }

  private def ask(question: (PythonApi, String) => Object): LogicalPlan = {
    val description = table.description
    val asked = TableQuestion(AcidTable.name(description), call.limit, PythonSide.settings(session))
    answer(PythonSide.text(question(PythonSide.apiFor(session, description), Wire.write(asked))))
  }

  /** One row with a text. */
  private def answer(text: String): LogicalPlan = {
    val output = AttributeReference("answer", StringType, nullable = false)()
    LocalRelation(Seq(output), Seq(InternalRow(UTF8String.fromString(text))))
  }
}
