package hiveacid.search

import org.apache.spark.sql.catalyst.expressions.{AttributeMap, AttributeReference}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Rows of a table that are written back as they are: a NULL of another engine stays, also in a column that Spark has
  * as NOT NULL. That holds for what is new, and Spark would check these rows like new ones.
  */
object KeptNulls {

  /** The analysed plan without those checks. References to the values know that they may be NULL. */
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp { case node =>
    val found = AttributeMap(node.children.flatMap(_.output).map(a => a -> a.nullable))
    node.transformExpressionsUp {
      case AssertNotNull(value, _) => value
      case a: AttributeReference   => found.get(a).fold(a)(a.withNullability)
    }
  }
}
