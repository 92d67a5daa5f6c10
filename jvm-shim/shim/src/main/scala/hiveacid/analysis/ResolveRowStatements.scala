package hiveacid.analysis

import hiveacid.guard.PlainRowChanges
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.wire.StatementKind
import hiveacid.commands.AcidWriteCommand
import hiveacid.errors.Refusal

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{SparkLinePlans, SparkAccess}
import org.apache.spark.sql.types.{BooleanType, NullType}

/** DELETE, UPDATE and MERGE on our relation become our command. Spark's own checks run on the user's node first, so
  * that errors have Spark's conditions and the user's text and position.
  */
case class ResolveRowStatements(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case DeleteFromTable(SubqueryAlias(alias, AcidRelation.Target(target)), _)
        if alias.name.equalsIgnoreCase("where") =>
      // Spark takes the word for an alias where no condition follows, and would delete all rows
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.WHERE_WITHOUT_CONDITION")
      AcidTable.refuse("DELETE", target.catalogTable.get, refusal)
    case d @ DeleteFromTable(AcidRelation.Target(target), given) if d.resolved =>
      val rows = target.withMetadataColumns() // the condition may name ROW__ID
      val condition = typed(given)
      check(d.copy(table = rows, condition = condition), rows, Some(condition))
      command(StatementKind.Delete, target, CanonicalStatement.delete(rows, condition))
    case u @ UpdateTable(AcidRelation.Target(target), assignments, given) if u.resolved =>
      val rows = target.withMetadataColumns()
      val condition = given.map(typed)
      check(u.copy(table = rows, assignments = assignments.map(checked), condition = condition), rows, condition)
      val values = Assignments.ofUpdate(target, assignments)
      command(StatementKind.Update, target, CanonicalStatement.update(rows, values, condition))
    case d: DeleteFromTable =>
      PlainRowChanges.refuseOfSerde(d)
      d
    case Merged(m, target) if m.resolved       => merge(withConditions(withHiddenColumns(m), typed), target)
    case r: ReplaceWhere if r.victims.resolved => ReplaceWhere.resolve(session, r)
    case r: ReplaceMatches if r.resolved       => ReplaceMatches.resolve(session, r)
  }

  private object Merged {
    def unapply(plan: LogicalPlan): Option[(MergeIntoTable, LogicalRelation)] = plan match {
      case m: MergeIntoTable => AcidRelation.Target.unapply(m.targetTable).map((m, _))
      case _                 => None
    }
  }

  /** With the hidden columns that the clauses name in the output of the target and of the source, and those that the
    * source names within it. Spark adds them one round after the names are resolved.
    */
  private def withHiddenColumns(m: MergeIntoTable): MergeIntoTable =
    session.sessionState.analyzer.AddMetadataColumns(m).asInstanceOf[MergeIntoTable]

  private def merge(m: MergeIntoTable, target: LogicalRelation): LogicalPlan = {
    if (SparkLinePlans.evolvesSchema(m)) {
      AcidTable.refuse("MERGE", target.catalogTable.get, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.SCHEMA_EVOLUTION"))
    }
    val rows = target.withMetadataColumns()
    SparkAccess.checkMergeConditions(m)
    // of a copy: what has been checked counts as analysed, and later rules (Spark's own readers instead of Hive's
    // SerDes) would pass over the source
    session.sessionState.analyzer.checkAnalysis(withAssignments(m.copy(targetTable = rows), checked).clone())
    val clauses = MergeClause.of(target, m)
    val conditions = m.mergeCondition +: clauses.flatMap(_.condition)
    checkConditions(Join(rows, m.sourceTable, Inner, None, JoinHint.NONE), conditions)
    val canonical = CanonicalStatement.merge(rows, m.sourceTable, m.mergeCondition, clauses)
    command(StatementKind.Merge, target, canonical)
  }

  /** NULL as a condition is true of no row. */
  private def typed(condition: Expression): Expression =
    if (condition.dataType == NullType) Cast(condition, BooleanType) else condition

  private def checked(a: Assignment): Assignment =
    if (a.value.deterministic) a else a.copy(value = CheckedValue(a.value))

  private def withConditions(m: MergeIntoTable, change: Expression => Expression): MergeIntoTable =
    withActions(m.copy(mergeCondition = change(m.mergeCondition))) {
      case u: UpdateAction => u.copy(condition = u.condition.map(change))
      case i: InsertAction => i.copy(condition = i.condition.map(change))
      case d: DeleteAction => d.copy(condition = d.condition.map(change))
      case other           => other
    }

  private def withAssignments(m: MergeIntoTable, change: Assignment => Assignment): MergeIntoTable =
    withActions(m) {
      case u: UpdateAction => u.copy(assignments = u.assignments.map(change))
      case i: InsertAction => i.copy(assignments = i.assignments.map(change))
      case other           => other
    }

  private def withActions(m: MergeIntoTable)(change: MergeAction => MergeAction): MergeIntoTable =
    m.copy(
      matchedActions = m.matchedActions.map(change),
      notMatchedActions = m.notMatchedActions.map(change),
      notMatchedBySourceActions = m.notMatchedBySourceActions.map(change)
    )

  private def check(statement: LogicalPlan, rows: LogicalPlan, condition: Option[Expression]): Unit = {
    session.sessionState.analyzer.checkAnalysis(statement)
    checkConditions(rows, condition.toSeq)
  }

  /** Spark looks at the type of a condition only in a Filter; this one has the position of the user's statement. */
  private def checkConditions(rows: LogicalPlan, conditions: Seq[Expression]): Unit =
    conditions.filter(_.dataType != BooleanType).foreach { c =>
      session.sessionState.analyzer.checkAnalysis(Filter(c, rows))
    }

  private def command(kind: StatementKind, target: LogicalRelation, canonical: CanonicalStatement): AcidWriteCommand = {
    val table = target.catalogTable.get
    val changes = canonical.rowChanges(session, table)
    AcidWriteCommand(kind, table, changes.plan, changes.writes, changes.stays, read = changes.read)
  }
}
