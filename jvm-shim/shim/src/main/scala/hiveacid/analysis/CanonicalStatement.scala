package hiveacid.analysis

import scala.collection.immutable.ListMap
import scala.collection.mutable.ArrayBuffer

import hiveacid.values.AcidTable
import hiveacid.commands.RowChangeQuery
import hiveacid.python.PythonSide
import hiveacid.wire.{RewriteRequest, RewrittenStatement, Wire}

import org.apache.spark.sql.catalyst.analysis.{Analyzer, UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.classic.SparkSession

/** A canonical statement: SQL text in which every expression of the user is a placeholder (`__e1`, `__e2`, …) and so
  * are the relations (`__target`, `__source`). Python rewrites the text to the row-change query; the placeholders of
  * its parsed plan are then replaced by the user's own trees, which are never printed and never cut out of text.
  *
  * @param assigned
  *   columns in which rows that are there get new values
  */
final case class CanonicalStatement(
    text: String,
    expressions: Map[String, Expression],
    relations: Map[String, LogicalPlan],
    assigned: Set[String] = Set.empty
) {
  import RowChangeQuery.Target

  def rowChanges(session: SparkSession, table: CatalogTable): RowChangeQuery = {
    val bucketing = for {
      b <- table.bucketSpec.toSeq
      f <- table.dataSchema if b.bucketColumnNames.exists(_.equalsIgnoreCase(f.name))
    } yield f.name -> f.dataType.catalogString
    val request = RewriteRequest(
      statement = text,
      table = AcidTable.name(table),
      properties = table.properties,
      dataColumns = table.dataSchema.fieldNames.toSeq,
      partitionColumns = table.partitionColumnNames,
      taken = relations.values.flatMap(_.output.map(_.name)).toSeq,
      assigned = assigned.toSeq,
      bucketing = ListMap(bucketing: _*)
    )
    val api = PythonSide.apiFor(session, table)
    val answer = PythonSide.message[RewrittenStatement](api.rewrite(Wire.write(request)))
    val parsed = session.sessionState.sqlParser.parsePlan(answer.query)
    val query = EvaluatedOnce.place(withUserTrees(parsed))
    RowChangeQuery(if (relations.contains(Target)) resolved(session, query) else query, answer.writes, answer.stays)
  }

  /** The query with the few names that the rewriting introduced resolved, by Spark's rules alone: what other extensions
    * do to it can be told from what it was, and none of them meets a plan that is half resolved.
    */
  private def resolved(session: SparkSession, query: LogicalPlan): LogicalPlan =
    new Analyzer(session.sessionState.catalogManager).execute(query)

  private def withUserTrees(parsed: LogicalPlan): LogicalPlan =
    parsed
      .transformUp {
        case UnresolvedRelation(Seq(name), _, _) if relations.contains(name) =>
          SubqueryAlias(name, relations(name))
      }
      .transformAllExpressions {
        case UnresolvedAttribute(Seq(name)) if expressions.contains(name) => expressions(name)
      }
}

object CanonicalStatement {
  import RowChangeQuery.{Source, Target}

  def delete(target: LogicalPlan, condition: Expression): CanonicalStatement =
    CanonicalStatement(s"DELETE FROM $Target WHERE __e1", Map("__e1" -> condition), Map(Target -> target))

  /** `values` has an expression for each of the target's data columns, in order, and for all of its partition columns
    * if one of them is assigned.
    */
  def update(
      target: LogicalPlan,
      values: Seq[(String, Expression)],
      condition: Option[Expression]
  ): CanonicalStatement = {
    val trees = new Placeholders
    val where = condition.fold("")(c => s" WHERE ${trees.add(c)}")
    val text = s"UPDATE $Target SET ${trees.assignments(values)}$where"
    CanonicalStatement(text, trees.toMap, Map(Target -> target), assigned(target, values))
  }

  /** `values` as for `update`, and for all columns in a clause that inserts. */
  def merge(target: LogicalPlan, source: LogicalPlan, on: Expression, clauses: Seq[MergeClause]): CanonicalStatement = {
    val trees = new Placeholders
    val search = trees.add(on)
    val whens = clauses.map { clause =>
      val condition = clause.condition.fold("")(c => s" AND ${trees.add(c)}")
      val action = clause.action match {
        case MergeClause.Update(values) => s"UPDATE SET ${trees.assignments(values)}"
        case MergeClause.Delete         => "DELETE"
        case MergeClause.Insert(values) =>
          val (columns, trueValues) = values.map { case (column, value) => (quoted(column), trees.add(value)) }.unzip
          s"INSERT (${columns.mkString(", ")}) VALUES (${trueValues.mkString(", ")})"
      }
      s"WHEN ${clause.side}$condition THEN $action"
    }
    val text = s"MERGE INTO $Target USING $Source ON $search ${whens.mkString(" ")}"
    val updates = clauses.map(_.action).collect { case MergeClause.Update(values) => assigned(target, values) }
    CanonicalStatement(text, trees.toMap, Map(Target -> target, Source -> source), updates.flatten.toSet)
  }

  /** Without the columns that keep their values: these are assigned to themselves. */
  private def assigned(target: LogicalPlan, values: Seq[(String, Expression)]): Set[String] =
    values.collect {
      case (name, value) if !target.output.exists(a => a.name == name && a.semanticEquals(value)) => name
    }.toSet

  def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  /** The user's trees by the placeholders that stand for them. */
  final private class Placeholders {
    private val trees = ArrayBuffer.empty[(String, Expression)]

    def add(tree: Expression): String = {
      val placeholder = s"__e${trees.length}"
      trees += placeholder -> tree
      placeholder
    }

    def assignments(values: Seq[(String, Expression)]): String =
      values.map { case (column, value) => s"${quoted(column)} = ${add(value)}" }.mkString(", ")

    def toMap: Map[String, Expression] = trees.toMap
  }

  def insert(source: LogicalPlan): CanonicalStatement =
    CanonicalStatement(s"INSERT INTO $Target SELECT * FROM $Source", Map.empty, Map(Source -> source))

  /** @param source
    *   the new rows, which satisfy the condition
    */
  def replace(target: LogicalPlan, condition: Expression, source: LogicalPlan): CanonicalStatement = {
    val text = s"INSERT INTO $Target REPLACE WHERE __e0 SELECT * FROM $Source"
    CanonicalStatement(text, Map("__e0" -> condition), Map(Target -> target, Source -> source))
  }

  /** @param values
    *   of all columns of the target, attributes of the source as those in the condition
    */
  def replaceMatches(
      target: LogicalPlan,
      condition: Expression,
      source: LogicalPlan,
      values: Seq[(String, Expression)]
  ): CanonicalStatement = {
    val trees = new Placeholders
    val matches = s"EXISTS (SELECT 1 FROM $Source WHERE ${trees.add(condition)})"
    val columns = values.map { case (column, value) => s"${trees.add(value)} AS ${quoted(column)}" }
    val text = s"INSERT INTO $Target REPLACE WHERE $matches SELECT ${columns.mkString(", ")} FROM $Source"
    CanonicalStatement(text, trees.toMap, Map(Target -> target, Source -> source))
  }
}
