package hiveacid.analysis

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** A value that may be another one each time it is evaluated, and of which store assignment takes the parts: field by
  * field, keys and values. They must be parts of one value. This stands for it in the parts, until the plan evaluates
  * it below them.
  *
  * @param name
  *   of the column that it becomes there
  */
case class EvaluatedOnce(child: Expression, name: String) extends UnaryExpression with Unevaluable {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override protected def withNewChildInternal(newChild: Expression): EvaluatedOnce = copy(child = newChild)
}

object EvaluatedOnce {

  /** The value itself where one place alone evaluates it. */
  def of(value: Expression, name: => String): Expression = value.dataType match {
    case _: StructType | _: ArrayType | _: MapType if !value.deterministic => EvaluatedOnce(value, name)
    case _                                                                 => value
  }

  /** The row-change query, in which such values are columns of queries below. A value of a CASE is evaluated for the
    * rows of its case only.
    */
  def place(query: LogicalPlan): LogicalPlan = query.transformUp {
    case Project(list, child) if list.exists(_.exists(_.isInstanceOf[EvaluatedOnce])) =>
      val columns = ArrayBuffer.empty[NamedExpression]
      val above = list.map {
        case a @ Alias(CaseWhen(cases, otherwise), _) =>
          val values = cases.map { case (when, value) =>
            (when, taken(value, v => CaseWhen(Seq((when, v)), None), columns))
          }
          a.withNewChildren(Seq(CaseWhen(values, otherwise.map(taken(_, identity, columns))))).asInstanceOf[Alias]
        case other => taken(other, identity, columns).asInstanceOf[NamedExpression]
      }
      Project(above, Project(UnresolvedStar(None) +: distinct(columns), child))
  }

  /** The first of each name. */
  private def distinct(columns: ArrayBuffer[NamedExpression]): Seq[NamedExpression] =
    columns.foldLeft(Vector.empty[NamedExpression]) { (kept, column) =>
      if (kept.exists(_.name == column.name)) kept else kept :+ column
    }

  private def taken(tree: Expression, guarded: Expression => Expression, columns: ArrayBuffer[NamedExpression]) =
    tree.transformDown { case EvaluatedOnce(value, name) =>
      columns += Alias(guarded(value), name)()
      UnresolvedAttribute.quoted(name)
    }
}
