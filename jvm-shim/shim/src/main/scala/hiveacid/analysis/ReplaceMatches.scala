package hiveacid.analysis

import hiveacid.scan.AcidRelation

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, EqualTo, Expression}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, LogicalRelation}

/** `INSERT INTO t REPLACE USING (columns) query` and `REPLACE ON condition query` while Spark analyses them.
  *
  * @param pairs
  *   the target, for a condition joined with the query, so that the names of both are found
  * @param using
  *   the target's columns of a REPLACE USING
  * @param insert
  *   the INSERT of the query's rows
  */
case class ReplaceMatches(pairs: LogicalPlan, using: Seq[Expression], insert: InsertIntoStatement)
    extends UnaryCommand {
  override def child: LogicalPlan = pairs
  override protected def withNewChildInternal(newChild: LogicalPlan): ReplaceMatches = copy(pairs = newChild)
}

/** The same once the names are resolved: as with REPLACE WHERE, out of reach of rules that prepare a plan for being
  * read.
  */
case class ResolvedReplaceMatches(
    target: LogicalRelation,
    on: Option[Expression],
    using: Seq[Expression],
    insert: LogicalPlan
) extends ResolvedReplacement {
  override protected def withNewChildInternal(newChild: LogicalPlan): ResolvedReplaceMatches = copy(insert = newChild)

  /** Values of USING are compared as they are inserted, by position, and those of a condition as the query has them. */
  override def canonical(c: InsertIntoHadoopFsRelationCommand): CanonicalStatement = {
    val columns = target.output.take(c.query.output.length)
    val values = named(c)
    val equal = columns.zip(values).collect {
      case (column, value) if using.exists(_.references.contains(column)) => EqualTo(column, value.toAttribute)
    }
    val condition = on.getOrElse(equal.reduce[Expression](And(_, _)))
    val asked = condition.references -- target.outputSet -- AttributeSet(values.map(_.toAttribute))
    val source = Project(values ++ asked, keeping(c.query, asked))
    CanonicalStatement.replaceMatches(
      target.withMetadataColumns(),
      condition,
      source,
      columns.map(_.name).zip(values.map(_.toAttribute))
    )
  }

  /** The query of an INSERT with columns that the projections of its assignment have dropped. */
  private def keeping(query: LogicalPlan, columns: AttributeSet): LogicalPlan = query match {
    case Project(list, child) if !columns.subsetOf(query.outputSet) =>
      Project(list ++ (columns -- query.outputSet), keeping(child, columns))
    case other => other
  }
}

object ReplaceMatches {

  /** @param keys
    *   the target's columns to be equal, or the condition
    * @param insert
    *   the INSERT of the new rows
    */
  def apply(
      target: CatalogTable,
      alias: Option[String],
      keys: Either[Seq[String], Expression],
      insert: InsertIntoStatement
  ): ReplaceMatches = {
    val relation = UnresolvedRelation(target.identifier.nameParts)
    keys match {
      case Left(columns) =>
        ReplaceMatches(relation, columns.map(column => UnresolvedAttribute(Seq(column))), insert)
      case Right(on) =>
        val left = alias.fold[LogicalPlan](relation)(SubqueryAlias(_, relation))
        ReplaceMatches(Join(left, insert.query, Inner, Some(on), JoinHint.NONE), Nil, insert)
    }
  }

  /** The statement out of the reach of later rules, once our relation stands for the target. Spark's own checks of the
    * condition have the user's text and position.
    */
  def resolve(session: SparkSession, r: ReplaceMatches): LogicalPlan = r.pairs match {
    case AcidRelation.Target(target) =>
      r.using.foreach(ResolvedReplacement.refuseConditions(target, _))
      ResolvedReplaceMatches(target, None, r.using, r.insert)
    case Join(AcidRelation.Target(target), query, _, on, _) =>
      on.foreach(ResolvedReplacement.refuseConditions(target, _))
      session.sessionState.analyzer.checkAnalysis(r.pairs)
      ResolvedReplaceMatches(target, on, Nil, r.insert.copy(query = query))
    case Join(left, _, _, _, _) => foreign(r, left)
    case other                  => foreign(r, other)
  }

  private def foreign(r: ReplaceMatches, target: LogicalPlan): ReplaceMatches = {
    ResolvedReplacement.refuseForeign(target)
    r
  }
}
