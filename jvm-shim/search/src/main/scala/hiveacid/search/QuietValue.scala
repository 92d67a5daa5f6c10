package hiveacid.search

import scala.util.control.NonFatal

import hiveacid.errors.AcidException

import org.apache.spark.{SparkThrowable, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{ConditionalExpression, Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.hiveacid.SparkLineJobs
import org.apache.spark.sql.types.DataType

/** The value of an expression, whose errors tell no value.
  *
  * Spark writes the error of a task into the driver's log, its event log and the UI before anybody else sees it, and a
  * cast that fails quotes the text that it failed for.
  *
  * It counts as conditional so that Spark computes no part of the expression ahead, outside of it
  * (`EquivalentExpressions.childrenToRecurse`).
  *
  * @param name
  *   the only thing of it that is shown, beside the expression
  */
case class QuietValue(child: Expression, name: String) extends UnaryExpression with ConditionalExpression {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def prettyName: String = name

  override def alwaysEvaluatedInputs: Seq[Expression] = Nil
  override def branchGroups: Seq[Seq[Expression]] = Nil
  def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): ConditionalExpression = this

  override def eval(row: InternalRow): Any =
    try child.eval(row)
    catch { case NonFatal(e) => throw QuietValue.without(e) }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (value, error) = (child.genCode(ctx), ctx.freshName("error"))
    val java = CodeGenerator.javaType(dataType)
    val code = code"""boolean ${ev.isNull} = true;
         |$java ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
         |try {
         |  ${value.code}
         |  ${ev.isNull} = ${value.isNull};
         |  ${ev.value} = ${value.value};
         |} catch (Exception $error) {
         |  throw ${QuietValue.getClass.getName.stripSuffix("$")}.unchecked($error);
         |}"""
    ev.copy(code = code.stripMargin)
  }

  override def toString: String = s"$name($child)"
  override def sql: String = s"$name(${child.sql})"
  override protected def withNewChildInternal(newChild: Expression): QuietValue = copy(child = newChild)
}

object QuietValue {

  private val Condition = "HIVE_ACID_ERASURE.KEY_NOT_COMPUTED"

  /** The condition of an error, or its class: what tells of no row. */
  def describe(error: Throwable): String = error match {
    case quiet: AcidException if quiet.condition == Condition => quiet.getMessageParameters.get("failure")
    case known: SparkThrowable => Option(SparkLineJobs.condition(known)).getOrElse(error.getClass.getSimpleName)
    case _                     => error.getClass.getSimpleName
  }

  /** The error to be thrown in its place; itself if its task was cancelled. */
  def without(error: Throwable): Throwable =
    if (Option(TaskContext.get()).exists(_.isInterrupted())) error
    else AcidException(Condition, Map("failure" -> describe(error)))

  /** The same for generated code, whose methods declare what they throw: this returns never. */
  def unchecked(error: Throwable): RuntimeException = throw without(error)
}
