package hiveacid.analysis

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.scan.{AcidRelation, ForeignNode}
import hiveacid.values.AcidTable
import hiveacid.wire.StatementKind

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeSet, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, LogicalRelation}

/** An INSERT before which rows of its target go: `insert` is the INSERT alone. */
trait ResolvedReplacement extends UnaryCommand {
  def target: LogicalRelation
  def insert: LogicalPlan
  override def child: LogicalPlan = insert

  /** The deletes and inserts, once Spark has matched and cast the new rows' columns.
    *
    * @param c
    *   what the INSERT has become
    */
  def canonical(c: InsertIntoHadoopFsRelationCommand): CanonicalStatement

  /** The new rows with the metadata of the target's columns, by which Spark knows CHAR and how it is compared. */
  protected def named(c: InsertIntoHadoopFsRelationCommand): Seq[Alias] =
    c.query.output.zip(target.output).map { case (value, column) =>
      Alias(value, column.name)(explicitMetadata = Some(column.metadata))
    }
}

object ResolvedReplacement {
  private def Operation = StatementKind.Replace.traits.title

  /** Refuses a condition that is not told by the values of a row. */
  def refuseConditions(target: LogicalRelation, condition: Expression): Unit = {
    val hidden = AttributeSet(target.metadataOutput ++ target.output.drop(target.catalogTable.get.schema.length))
    if (SubqueryExpression.hasSubquery(condition))
      refuse(target, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_SUBQUERY"))
    if (!condition.deterministic)
      refuse(target, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_NOT_DETERMINISTIC"))
    // of which new rows have none
    if (condition.references.exists(hidden.contains))
      refuse(target, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_WHERE_HIDDEN_COLUMN"))
  }

  def refuse(target: LogicalRelation, refusal: Refusal): Nothing =
    throw AcidException.unsupported(Operation, AcidTable.name(target.catalogTable.get), refusal)

  /** Refuses a target in whose place another extension has put a node of its own. */
  def refuseForeign(target: LogicalPlan): Unit =
    for (table <- AcidRelation.named(target); node <- ForeignNode.of(target))
      node.refuse("HIVE_ACID_FOREIGN_NODE.TARGET", Operation, table.catalogTable.get)
}
