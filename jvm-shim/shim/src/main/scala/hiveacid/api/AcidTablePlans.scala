package hiveacid.api

import hiveacid.commands.{OperatorCommand, TableDetails}
import hiveacid.errors.{AcidException, Refusal}
import hiveacid.scan.AcidRelation
import hiveacid.wire.{OperatorStatement, TableDetail}

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedPartitionSpec}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{SparkLinePlans, SparkAccess}

/** The methods of `hive_acid.AcidTable` as plans. A statement becomes the node that Spark's parser makes of its SQL
  * text, so that it goes the way of `spark.sql`.
  *
  * The table is looked up by each call, but its columns keep their attribute IDs for as long as they keep their types:
  * a column of one `relation` means the same in a later statement.
  *
  * @param frames
  *   Spark Connect's IDs of the table's own DataFrame and of the aliased one, by which their columns are known
  */
final class AcidTablePlans private (
    session: SparkSession,
    name: String,
    columns: Seq[AttributeReference],
    alias: Option[String],
    frames: Seq[Long]
) {

  /** The table's rows. */
  def relation: LogicalPlan = named(AcidTablePlans.resolve(session, name))

  private def changed: LogicalPlan = named(AcidRelation.bare(AcidTablePlans.resolve(session, name)))

  private def named(resolved: LogicalPlan): LogicalPlan = {
    val plan = numbered(resolved)
    frames.headOption.foreach(SparkAccess.identify(plan, _))
    val named = alias.fold(plan)(SubqueryAlias(_, plan))
    frames.lift(1).foreach(SparkAccess.identify(named, _))
    named
  }

  private def numbered(plan: LogicalPlan): LogicalPlan = plan match {
    case l: LogicalRelation => l.copy(output = l.output.map(a => a.withExprId(id(a))))
    // columns of type CHAR are padded there, and have the IDs of the padded ones
    case Project(padded, l: LogicalRelation) =>
      val made = padded.collect { case a: Alias => a.name }.toSet
      val below = l.copy(output = l.output.map(a => if (made(a.name)) a else a.withExprId(id(a))))
      val above = padded.map {
        case a: Alias => Alias(a.child, a.name)(id(a), a.qualifier, a.explicitMetadata, a.nonInheritableMetadataKeys)
        case other    => below.output.find(_.exprId == id(other)).getOrElse(other)
      }
      Project(above, below)
    case other => other.mapChildren(numbered)
  }

  private def id(column: NamedExpression): ExprId = columns
    .find(c => c.name.equalsIgnoreCase(column.name) && c.dataType == column.dataType)
    .fold(column.exprId)(_.exprId)

  def aliased(other: String): AcidTablePlans = new AcidTablePlans(session, name, columns, Some(other), frames)

  /** The same, known to columns of these DataFrames of Spark Connect. */
  def knownAs(ids: Seq[Long]): AcidTablePlans = new AcidTablePlans(session, name, columns, alias, ids)

  def delete(condition: Option[Expression]): LogicalPlan =
    DeleteFromTable(changed, condition.getOrElse(Literal.TrueLiteral))

  /** @param keys
    *   columns or nested fields, named as in SQL
    * @param values
    *   what is assigned, one for each of `keys`
    */
  def update(condition: Option[Expression], keys: Seq[String], values: Seq[Expression]): LogicalPlan =
    UpdateTable(changed, assignments(keys, values), condition)

  def merge(
      source: LogicalPlan,
      condition: Expression,
      matched: Seq[MergeAction],
      notMatched: Seq[MergeAction],
      notMatchedBySource: Seq[MergeAction]
  ): LogicalPlan = SparkLinePlans.merge(changed, source, condition, matched, notMatched, notMatchedBySource)

  /** @param partition
    *   texts by partition column, null for NULL; None: the whole table
    */
  def truncate(partition: Option[Map[String, String]]): LogicalPlan = {
    val operation = "TRUNCATE TABLE"
    val table = SparkLinePlans.table(target(operation).identifier.nameParts, operation)
    partition.fold[LogicalPlan](TruncateTable(table)) { values =>
      TruncatePartition(table, UnresolvedPartitionSpec(values))
    }
  }

  /** A statement that does not name the table. */
  def operate(statement: OperatorStatement): LogicalPlan =
    OperatorCommand.of(statement.copy(table = Some(target("ALTER TABLE … COMPACT").identifier.nameParts)))

  /** The catalog's knowledge of the table. */
  def detail: TableDetail = TableDetails.of(session, description)

  def description: CatalogTable = target("AcidTable.detail")

  def assignments(keys: Seq[String], values: Seq[Expression]): Seq[Assignment] = {
    val parser = session.sessionState.sqlParser
    keys.zip(values).map { case (key, value) =>
      Assignment(UnresolvedAttribute(parser.parseMultipartIdentifier(key)), value)
    }
  }

  private def target(operation: String): CatalogTable =
    AcidTablePlans.target(session, name, operation).catalogTable.get
}

object AcidTablePlans {

  /** The plans for the full ACID table of that name; Spark's own error if there is none, ours if it is something else.
    */
  def forName(session: SparkSession, name: String): AcidTablePlans = {
    val relation = target(session, name, "AcidTable.forName")
    new AcidTablePlans(session, relation.catalogTable.get.identifier.quotedString, relation.output, None, Nil)
  }

  private def target(session: SparkSession, name: String, operation: String): LogicalRelation =
    AcidRelation.bare(resolve(session, name)) match {
      case AcidRelation.Target(l) => l
      case plan                   =>
        val refusal =
          if (plan.exists(_.isInstanceOf[View])) Refusal("HIVE_ACID_UNSUPPORTED_TABLE.VIEW")
          else Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")
        throw AcidException.unsupported(operation, name, refusal)
    }

  private def resolve(session: SparkSession, name: String): LogicalPlan = session.table(name).queryExecution.analyzed
}
