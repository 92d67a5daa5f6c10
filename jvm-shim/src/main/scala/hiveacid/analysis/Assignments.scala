package hiveacid.analysis

import hiveacid.values.AcidTable
import hiveacid.errors.{AcidException, Refusal}

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Cast, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.LineNodes

/** New values of columns, cast by Spark's store assignment. Spark does this itself only for its own kind of table; for
  * ours it has merely put a cast around each value, which would let a text into a number.
  */
object Assignments {

  /** One value for each data column, those that are not assigned being themselves, and then for each partition column
    * if one of them is assigned.
    */
  def ofUpdate(
      target: LogicalRelation,
      assignments: Seq[Assignment],
      fromStar: Boolean = false
  ): Seq[(String, Expression)] = {
    val table = target.catalogTable.get
    val columns = AttributeSet(target.output)
    // ROW__ID is no column of the table
    assignments.find(a => !a.key.references.subsetOf(columns)).foreach { a =>
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.ASSIGNED_COLUMN", Map("column" -> a.key.sql))
      throw AcidException.unsupported("UPDATE", AcidTable.name(table), refusal)
    }
    val aligned = LineNodes.alignedUpdate(target.output, assignments.map(prepared), fromStar)
    val (data, partition) = named(target, aligned).splitAt(table.dataSchema.length)
    val keys = AttributeSet(target.output.drop(table.dataSchema.length))
    if (assignments.exists(_.key.references.subsetOf(keys))) data ++ partition else data
  }

  /** One value for each column; those without an assignment get their default, NULL if they have none. */
  def ofInsert(target: LogicalRelation, assignments: Seq[Assignment]): Seq[(String, Expression)] =
    named(target, AssignmentUtils.alignInsertAssignments(target.output, assignments.map(prepared)))

  private def named(target: LogicalRelation, aligned: Seq[Assignment]) =
    target.output.map(_.name).zip(aligned.map(_.value)).map { case (name, value) => (name, checked(name, value)) }

  /** Spark does not always say which column must not be NULL. */
  private def checked(column: String, value: Expression): Expression = value.transform {
    case check @ AssertNotNull(_, Nil) => check.copy(walkedTypePath = Seq(column))
  }

  private def prepared(a: Assignment): Assignment = {
    val plain = uncast(a)
    plain.copy(value = EvaluatedOnce.of(plain.value, s"__once_${NamedExpression.newExprId.id}"))
  }

  private def uncast(a: Assignment): Assignment = a.value match {
    case c: Cast if c.dataType == a.key.dataType && c.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty =>
      a.copy(value = c.child)
    case _ => a
  }
}
