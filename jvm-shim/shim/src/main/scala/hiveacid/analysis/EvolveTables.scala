package hiveacid.analysis

import hiveacid.catalog.SessionTables
import hiveacid.commands.EvolveTableCommand
import hiveacid.errors.Refusal
import hiveacid.values.AcidTable
import hiveacid.wire.StatementKind

import org.apache.spark.sql.catalyst.AliasIdentifier
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{SparkAccess, SparkLinePlans, SparkLineStatements}
import org.apache.spark.sql.types.{StructField, StructType}

/** `MERGE` and `INSERT WITH SCHEMA EVOLUTION`: the statement itself if its table has all columns already, else a
  * command that adds them first. A MERGE adds those of its source that it assigns, by `*` or by name.
  *
  * Before Spark looks for the columns.
  */
case class EvolveTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case m: MergeIntoTable if SparkLinePlans.evolvesSchema(m) =>
      table(m.targetTable).fold(m: LogicalPlan) { t =>
        val given = columns(m.sourceTable)
        val statement = withoutStars(SparkLinePlans.fixed(m), t, given)
        evolved(t, statement, StatementKind.Merge, missing(given, t.schema.map(_.name)).filter(isAssigned(m, _)))
      }
    case written @ SparkLineStatements.EvolvingInsert(i, replaces) =>
      val kind =
        if (replaces) StatementKind.Replace else if (i.overwrite) StatementKind.Overwrite else StatementKind.Insert
      table(i.table).fold(written)(t => evolved(t, i, kind, inserted(i, t)))
  }

  private def table(target: LogicalPlan): Option[CatalogTable] = for {
    name <- target.collectFirst { case r: UnresolvedRelation => r.multipartIdentifier }
    id <- SparkAccess.sessionIdentifier(session, name)
    found <- SessionTables.find(session, id)
  } yield found

  private def evolved(t: CatalogTable, statement: LogicalPlan, kind: StatementKind, added: Seq[StructField]) =
    if (added.isEmpty) statement
    else
      CurrentOrigin.withOrigin(statement.origin) {
        val pinned = statement match {
          case m: MergeIntoTable      => m.copy(sourceTable = withoutNew(m.sourceTable, t))
          case i: InsertIntoStatement => i.copy(query = withoutNew(i.query, t))
          case other                  => other
        }
        EvolveTableCommand(t, added, pinned, kind)
      }

  /** A source that reads the table itself: `*` means the columns from before. */
  private def withoutNew(source: LogicalPlan, t: CatalogTable): LogicalPlan = source.transformUpWithSubqueries {
    case r: UnresolvedRelation if table(r).exists(_.identifier == t.identifier) =>
      val parts = r.multipartIdentifier
      val columns = t.schema.names.toSeq.map(name => UnresolvedAttribute(Seq(name)))
      SubqueryAlias(AliasIdentifier(parts.last, parts.init), Project(columns, r))
  }

  private def isAssigned(m: MergeIntoTable, column: StructField): Boolean = {
    def names(key: Expression) = key match {
      case UnresolvedAttribute(parts) => parts.last.equalsIgnoreCase(column.name)
      case _                          => false
    }
    (m.matchedActions ++ m.notMatchedActions).exists {
      case _: UpdateStarAction | _: InsertStarAction => true
      case u: UpdateAction                           => u.assignments.exists(a => names(a.key))
      case i: InsertAction                           => i.assignments.exists(a => names(a.key))
      case _                                         => false
    }
  }

  /** Columns that the source has not stay as they are, or NULL: Spark's `*` means all of the table's. */
  private def withoutStars(m: MergeIntoTable, t: CatalogTable, given: Seq[StructField]): MergeIntoTable =
    if (missing(t.schema, given.map(_.name)).isEmpty) m
    else
      qualifier(m.sourceTable).fold(m) { source =>
        val assignments =
          given.map(f => Assignment(UnresolvedAttribute(Seq(f.name)), UnresolvedAttribute(source :+ f.name)))
        def named(action: MergeAction): MergeAction = action match {
          case UpdateStarAction(condition) => UpdateAction(condition, assignments)
          case InsertStarAction(condition) => InsertAction(condition, assignments)
          case other                       => other
        }
        m.copy(matchedActions = m.matchedActions.map(named), notMatchedActions = m.notMatchedActions.map(named))
      }

  /** The name of the source, by which its columns are called, if it has one. */
  private def qualifier(source: LogicalPlan): Option[Seq[String]] = source match {
    case SubqueryAlias(alias, _) => Some(alias.qualifier :+ alias.name)
    case r: UnresolvedRelation   => Some(r.multipartIdentifier)
    case _                       => None
  }

  private def inserted(i: InsertIntoStatement, t: CatalogTable): Seq[StructField] = {
    val given = columns(i.query)
    if (i.byName) missing(given, t.schema.map(_.name))
    else if (i.userSpecifiedCols.nonEmpty)
      missing(
        i.userSpecifiedCols.zip(given).map { case (name, field) => field.copy(name = name) },
        t.schema.map(_.name)
      )
    else {
      val added = given.drop(t.schema.length - i.partitionSpec.count(_._2.isDefined))
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SCHEMA_EVOLUTION_BY_POSITION")
      if (added.nonEmpty && t.partitionColumnNames.nonEmpty) AcidTable.refuse("INSERT", t, refusal)
      added
    }
  }

  /** The columns that have none of these names. */
  private def missing(columns: Seq[StructField], names: Seq[String]): Seq[StructField] =
    columns.filterNot(f => names.exists(_.equalsIgnoreCase(f.name)))

  /** The columns of a query, analysed by itself. */
  private def columns(query: LogicalPlan): Seq[StructField] = {
    val schema = session.sessionState.executePlan(query.clone()).analyzed.schema
    CharVarcharUtils.getRawSchema(StructType(schema.map(_.copy(nullable = true))))
  }
}
