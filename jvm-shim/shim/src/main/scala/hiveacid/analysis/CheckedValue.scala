package hiveacid.analysis

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/** A value that is only checked, and may be one that is another each time it is evaluated. Spark lets such values into
  * Project and few other nodes; those of an assignment are evaluated in a Project.
  */
case class CheckedValue(child: Expression) extends UnaryExpression with Unevaluable {
  override lazy val deterministic: Boolean = true
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def sql: String = child.sql
  override def toString: String = child.toString
  override protected def withNewChildInternal(newChild: Expression): CheckedValue = copy(child = newChild)
}
