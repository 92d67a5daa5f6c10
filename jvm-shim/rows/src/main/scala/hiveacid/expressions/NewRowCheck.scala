package hiveacid.expressions

import hiveacid.errors.AcidException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BooleanType, DataType}

/** True for a new row that satisfies the condition of the rows it replaces; any other one fails the statement.
  *
  * @param child
  *   the condition on the new row
  * @param text
  *   the condition as the user wrote it
  */
case class NewRowCheck(child: Expression, table: String, text: String) extends UnaryExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false

  /** Or a condition that is never true would fail while the query is optimized, also if there is no new row. */
  override def foldable: Boolean = false

  /** Or the optimizer might ask it of rows that the query leaves out. */
  override lazy val deterministic: Boolean = false

  override def eval(row: InternalRow): Any = {
    if (child.eval(row) != true) fail()
    true
  }

  /** Called by generated code. */
  def fail(): Unit =
    throw AcidException("HIVE_ACID_REPLACE_WHERE_MISMATCH", Map("table" -> table, "predicate" -> text))

  override protected def doGenCode(context: CodegenContext, result: ExprCode): ExprCode = {
    val condition = child.genCode(context)
    val check = context.addReferenceObj("check", this)
    val code = code"""
      ${condition.code}
      if (${condition.isNull} || !${condition.value}) { $check.fail(); }"""
    result.copy(code = code, isNull = FalseLiteral, value = TrueLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): NewRowCheck = copy(child = newChild)
}
