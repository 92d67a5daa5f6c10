package hiveacid.search

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData

/** Whether an array of texts names a subject; false for NULL.
  *
  * @param child
  *   the parts of a key, or with `byAny` keys of one part
  * @param name
  *   the only thing of it that is shown
  */
case class NamesSubject(child: Expression, name: String, subjects: Broadcast[SubjectSet], byAny: Boolean)
    extends UnaryExpression
    with Predicate {
  override def nullable: Boolean = false
  override def prettyName: String = name

  override def eval(row: InternalRow): Any = {
    val (texts, set) = (child.eval(row).asInstanceOf[ArrayData], subjects.value)
    if (byAny) set.containsAny(texts) else set.containsAll(texts)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (texts, kind) = (child.genCode(ctx), classOf[SubjectSet].getName)
    val held = ctx.addReferenceObj("subjects", subjects)
    val set = ctx.addMutableState(kind, "subjectSet", v => s"$v = ($kind) $held.value();") // once in each task
    val contains = if (byAny) "containsAny" else "containsAll"
    val code = code"""${texts.code}
         |boolean ${ev.value} = !${texts.isNull} && $set.$contains(${texts.value});"""
    ev.copy(code = code.stripMargin, isNull = FalseLiteral)
  }

  override def toString: String = s"$name($child)"
  override def sql: String = s"$name(${child.sql})"
  override protected def withNewChildInternal(newChild: Expression): NamesSubject = copy(child = newChild)
}
