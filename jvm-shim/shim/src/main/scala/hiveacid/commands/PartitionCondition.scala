package hiveacid.commands

import hiveacid.errors.Refusal
import hiveacid.values.{AcidTable, PartitionValues}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** A condition that tells partitions of a table.
  *
  * @param title
  *   the statement that it belongs to
  * @param text
  *   as it was written
  */
final case class PartitionCondition(title: String, table: CatalogTable, text: String) {
  private val columns = table.schema.map(f => AttributeReference(f.name, f.dataType)())
  private val keys = columns.takeRight(table.partitionColumnNames.length)

  /** The names for whose values it is true. Throws Spark's error for a condition that is none, and refuses one that
    * asks for more than partition columns.
    */
  def matching(session: SparkSession, names: Seq[String]): Seq[String] = {
    val condition = resolved(session)
    beyond(condition).foreach { found =>
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CONDITION_OF_ROWS", Map("found" -> found))
      AcidTable.refuse(title, table, refusal)
    }
    val name = AttributeReference("__partition", StringType, nullable = false)()
    val values = PartitionValues(table, session.sessionState.conf.sessionLocalTimeZone)
    val rows = names.map { each =>
      InternalRow.fromSeq(values.of(each).toSeq(table.partitionSchema) :+ UTF8String.fromString(each))
    }
    val plan = Project(Seq(name), Filter(condition, LocalRelation(keys :+ name, rows)))
    session.sessionState.executePlan(plan).executedPlan.executeCollect().map(_.getUTF8String(0).toString).toSeq
  }

  private def resolved(session: SparkSession): Expression = {
    val parsed = session.sessionState.sqlParser.parseExpression(text)
    val analyzed = session.sessionState.executePlan(Filter(parsed, LocalRelation(columns))).analyzed
    analyzed.collectFirst { case Filter(condition, _) => condition }.get
  }

  private def beyond(condition: Expression): Option[String] =
    if (SubqueryExpression.hasSubquery(condition)) Some("a subquery")
    else if (!condition.deterministic) Some("random values")
    else condition.references.find(a => !keys.exists(_.exprId == a.exprId)).map(_.name)
}
