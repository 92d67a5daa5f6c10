package hiveacid.commands

import hiveacid.scan.{AcidRelation, RowIds, SessionTransactions}
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, ResolvedHint, SubqueryAlias, View}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{SparkLineSessions, RowAccess, SparkAccess}

/** The rows of a statement's sources that are in Spark's caches, as a query takes them: who caches a sample, or a batch
  * that others add to meanwhile, works on the rows that it shows.
  *
  * Spark looks caches up by the analysed plan. That of a statement is bound to a snapshot and to a time before Spark
  * sees it, so that it would never be found.
  *
  * The target by its own name is read in the statement's snapshot all the same, also by subqueries. A cache of it would
  * be as old as the last writer of another session's catalog or engine.
  */
object StatementCaches {
  def use(session: SparkSession, command: AcidWriteCommand): AcidWriteCommand =
    if (session.sharedState.cacheManager.isEmpty) command
    else {
      val isText = command.origin.sqlText.isDefined
      val changes = used(session, command.changes, part => isChanged(part) || isTarget(part, command.target, isText))
      SessionTransactions.refuseCaches(session, changes)
      RowIds.refuseCached(command.kind.traits.title, changes)
      val caches = changes.collectWithSubqueries { case cache: InMemoryRelation => cache.cacheBuilder -> cache }.toMap
      caches.values.filterNot(_.cacheBuilder.isCachedColumnBuffersLoaded).foreach(fill(session, _))
      command.over(changes)
    }

  /** Fills a cache by an execution of its own. It reads tables under locks that end with it: the statement may want one
    * that keeps readers out.
    */
  private def fill(session: SparkSession, cache: InMemoryRelation): Unit = {
    val context = session.sparkContext
    val enclosing = SparkAccess.localProperties(context)
    Enclosing.foreach(context.setLocalProperty(_, null))
    try RowAccess.frame(session, cache).count()
    finally SparkAccess.setLocalProperties(context, enclosing)
  }

  private val Enclosing =
    Seq(SQLExecution.EXECUTION_ID_KEY, SQLExecution.EXECUTION_ROOT_ID_KEY, SessionTransactions.StreamQuery)

  private def used(session: SparkSession, plan: LogicalPlan, isKept: LogicalPlan => Boolean): LogicalPlan =
    plan
      .transformDown {
        case hint: ResolvedHint                     => hint
        case alias: SubqueryAlias                   => alias // later rules know the parts of a statement by them
        case part if part.resolved && !isKept(part) => SparkLineSessions.cached(session, part).getOrElse(part)
      }
      .transformAllExpressions { case s: SubqueryExpression => s.withNewPlan(used(session, s.plan, isKept)) }

  /** Rows that are to be changed, which a statement finds by their IDs. */
  private def isChanged(part: LogicalPlan): Boolean = part.exists {
    case SubqueryAlias(id, _) => id.name == RowChangeQuery.Target
    case _                    => false
  }

  /** Rows of the target, by its name in the text of the statement: a view of them is not meant, for it is what the user
    * has made. A DataFrame is that too, unless it is the whole table.
    */
  private def isTarget(part: LogicalPlan, target: CatalogTable, isText: Boolean): Boolean = part match {
    case _: View                                                  => false
    case SubqueryAlias(_, child)                                  => isTarget(child, target, isText)
    case Project(_, l: LogicalRelation) if AcidRelation.isOurs(l) => isSame(l, target) // Spark pads CHAR columns in one
    case l: LogicalRelation if AcidRelation.isOurs(l)             => isSame(l, target)
    case other => isText && (other.children ++ other.subqueries).exists(isTarget(_, target, isText))
  }

  private def isSame(l: LogicalRelation, target: CatalogTable) =
    AcidTable.key(l.catalogTable.get) == AcidTable.key(target)
}
