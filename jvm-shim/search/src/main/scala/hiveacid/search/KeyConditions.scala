package hiveacid.search

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeMap, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.hiveacid.RowAccess

/** Conditions on the rows of a table as expressions over the columns of its files.
  *
  * They are those of a query's optimized plan: a CHAR column is padded in them as it is for a SELECT.
  *
  * @param relation
  *   the leaf of that plan, a [[LogicalRelation]] or a [[HiveTableRelation]]
  */
final case class KeyConditions(conditions: Seq[Expression], relation: LogicalPlan) {

  /** The columns of files and partitions that the conditions need. */
  def references: Seq[AttributeReference] =
    conditions
      .flatMap(_.collect { case a: AttributeReference => a })
      .foldLeft(Vector.empty[AttributeReference]) { (found, a) =>
        if (found.exists(_.exprId == a.exprId)) found else found :+ a
      }

  def table: CatalogTable = RowAccess.withNulls(relation match {
    case l: LogicalRelation   => l.catalogTable.get
    case h: HiveTableRelation => h.tableMeta
  })
}

object KeyConditions {

  /** @param table
    *   as in SQL
    */
  def of(stored: StoredRows, table: String, conditions: Seq[String]): KeyConditions = {
    val columns = conditions.zipWithIndex.map { case (text, i) => expr(text).as(s"c$i") }
    val (found, leaf) = flatten(stored.optimize(stored.select(table, columns)))
    KeyConditions(found, leaf)
  }

  /** The expressions that the plan computes over its one leaf. */
  private def flatten(plan: LogicalPlan): (Seq[Expression], LogicalPlan) = plan match {
    case Project(list, child) =>
      val (inner, leaf) = flatten(child)
      val values = AttributeMap(child.output.zip(inner))
      val composed = list.map {
        case Alias(value, _) => value
        case other           => other
      }
      (composed.map(_.transform { case a: AttributeReference => values.getOrElse(a, a) }), leaf)
    case leaf: LeafNode if leaf.isInstanceOf[LogicalRelation] || leaf.isInstanceOf[HiveTableRelation] =>
      (leaf.output, leaf)
    case other => throw new IllegalStateException(s"a key of a table became ${other.nodeName}")
  }
}
