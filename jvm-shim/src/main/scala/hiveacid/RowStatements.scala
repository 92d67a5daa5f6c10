package hiveacid

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.SparkLine
import org.apache.spark.sql.types.BooleanType

/** DELETE, UPDATE and MERGE on our relation become our command. Spark's own checks run on the user's node first, so
  * that errors have Spark's conditions and the user's text and position.
  */
case class ResolveAcidStatements(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case DeleteFromTable(SubqueryAlias(alias, AcidTables.Target(target)), _) if alias.name.equalsIgnoreCase("where") =>
      // Spark takes the word for an alias where no condition follows, and would delete all rows
      throw AcidException.unsupported("DELETE with WHERE and no condition", AcidTables.name(target.catalogTable.get))
    case d @ DeleteFromTable(AcidTables.Target(target), condition) if d.resolved =>
      val rows = target.withMetadataColumns() // the condition may name ROW__ID
      check(d.copy(table = rows), rows, Some(condition))
      command("delete", target, Canonical.delete(rows, condition))
    case u @ UpdateTable(AcidTables.Target(target), assignments, condition) if u.resolved =>
      val rows = target.withMetadataColumns()
      check(u.copy(table = rows), rows, condition)
      command("update", target, Canonical.update(rows, Assignments.ofUpdate(target, assignments), condition))
    case m @ MergeIntoTable(AcidTables.Target(target), _, _, _, _, _, _) if m.resolved => merge(m, target)
    case r: ReplaceWhere if r.victims.resolved => ReplaceWhere.resolve(session, r)
  }

  private def merge(m: MergeIntoTable, target: LogicalRelation): LogicalPlan = {
    if (m.withSchemaEvolution)
      throw AcidException.unsupported("MERGE WITH SCHEMA EVOLUTION", AcidTables.name(target.catalogTable.get))
    val rows = target.withMetadataColumns()
    val both = m.copy(targetTable = rows)
    session.sessionState.analyzer.checkAnalysis(both)
    SparkLine.checkMergeConditions(m)
    val clauses = MergeClause.of(target, m)
    val conditions = m.mergeCondition +: clauses.flatMap(_.condition)
    checkConditions(Join(rows, m.sourceTable, Inner, None, JoinHint.NONE), conditions)
    command("merge", target, Canonical.merge(rows, m.sourceTable, m.mergeCondition, clauses))
  }

  private def check(statement: LogicalPlan, rows: LogicalPlan, condition: Option[Expression]): Unit = {
    session.sessionState.analyzer.checkAnalysis(statement)
    checkConditions(rows, condition.toSeq)
  }

  /** Spark looks at the type of a condition only in a Filter; this one has the position of the user's statement. */
  private def checkConditions(rows: LogicalPlan, conditions: Seq[Expression]): Unit =
    conditions.filter(_.dataType != BooleanType).foreach { c =>
      session.sessionState.analyzer.checkAnalysis(Filter(c, rows))
    }

  private def command(kind: String, target: LogicalRelation, canonical: Canonical): AcidWriteCommand = {
    val table = target.catalogTable.get
    val changes = canonical.rowChanges(session, table)
    AcidWriteCommand(kind, table, changes.plan, changes.writes, changes.stays)
  }
}
