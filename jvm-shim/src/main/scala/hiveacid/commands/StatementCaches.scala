package hiveacid.commands

import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, ResolvedHint, SubqueryAlias, View}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.hiveacid.{LineSessions, SparkAccess}

/** The rows of a statement's sources that are in Spark's caches, as a query takes them: who caches a sample, or a batch
  * that others add to meanwhile, works on the rows that it shows.
  *
  * Spark looks caches up by the analysed plan. That of a statement is bound to a snapshot and to a time before Spark
  * sees it, so that it would never be found.
  *
  * The target as such is read in the statement's snapshot all the same, also by subqueries. A cache of it would be as
  * old as the last writer of another session's catalog or engine.
  */
object StatementCaches {
  def use(session: SparkSession, command: AcidWriteCommand): AcidWriteCommand =
    if (session.sharedState.cacheManager.isEmpty) command
    else {
      val changes = used(session, command.target, command.changes)
      val caches = changes.collectWithSubqueries { case cache: InMemoryRelation => cache }
      caches.filterNot(_.cacheBuilder.isCachedColumnBuffersLoaded).foreach(fill(session, _))
      CurrentOrigin.withOrigin(command.origin)(command.copy(changes = changes))
    }

  /** Fills a cache by an execution of its own. It reads tables under locks that end with it: the statement may want one
    * that keeps readers out.
    */
  private def fill(session: SparkSession, cache: InMemoryRelation): Unit = {
    val context = session.sparkContext
    val enclosing = SparkAccess.localProperties(context)
    Executions.foreach(context.setLocalProperty(_, null))
    try SparkAccess.frame(session, cache).count()
    finally SparkAccess.setLocalProperties(context, enclosing)
  }

  private val Executions = Seq(SQLExecution.EXECUTION_ID_KEY, SQLExecution.EXECUTION_ROOT_ID_KEY)

  private def used(session: SparkSession, target: CatalogTable, plan: LogicalPlan): LogicalPlan =
    plan
      .transformDown {
        case hint: ResolvedHint                                                   => hint
        case part if part.resolved && !isTarget(part, target) && !hasRowIds(part) =>
          LineSessions.cached(session, part).getOrElse(part)
      }
      .transformAllExpressions { case s: SubqueryExpression => s.withNewPlan(used(session, target, s.plan)) }

  /** Rows that are to be changed, which a statement finds by their IDs. */
  private def hasRowIds(part: LogicalPlan): Boolean = part.exists {
    case AcidRelation.Target(l) => l.output.length > l.catalogTable.get.schema.length
    case _                      => false
  }

  /** All rows of the target, and nothing but its columns. */
  private def isTarget(part: LogicalPlan, target: CatalogTable): Boolean = part match {
    case AcidRelation.Target(l)  => AcidTable.key(l.catalogTable.get) == AcidTable.key(target)
    case SubqueryAlias(_, child) => isTarget(child, target)
    case v: View                 => isTarget(v.child, target)
    case Project(columns, child) if columns.forall(_.isInstanceOf[Attribute]) => isTarget(child, target)
    case _                                                                    => false
  }
}
