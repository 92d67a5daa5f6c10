package org.apache.spark.sql.hiveacid

import java.lang.reflect.InvocationTargetException
import java.util.Properties
import org.apache.spark.SparkContext
import org.apache.spark.api.python.PythonUtils
import org.apache.spark.sql.{ExperimentalMethods, SaveMode}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogUtils}
import org.apache.spark.sql.catalyst.catalog.CatalogTypes.TablePartitionSpec
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{DeleteAction, InsertAction, LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, CatalogPlugin, Identifier, LookupCatalog}
import org.apache.spark.sql.errors.QueryCompilationErrors
import org.apache.spark.sql.execution.{CachedData, CacheManager, SparkOptimizer}
import org.apache.spark.sql.util.PartitioningUtils
import org.apache.spark.util.Utils

/** `saveAsTable`: a table as the DataFrame's writer describes it, and the rows. */
final case class SaveAsTable(table: CatalogTable, mode: SaveMode, query: LogicalPlan) {

  /** The writer's options. Spark keeps the path, which is one of them, elsewhere. */
  def options: Map[String, String] =
    table.storage.properties ++ table.storage.locationUri.map("path" -> CatalogUtils.URIToString(_))
}

/** The few members of Spark that are public in bytecode but `private[sql]` or `private[spark]` to the compiler, hence
  * the package. They are the same in all lines.
  */
object SparkAccess {

  /** private[spark]; nothing public hands over all local properties (job group, tags, execution ID) to another thread.
    */
  def localProperties(sc: SparkContext): Properties = sc.getLocalProperties.clone().asInstanceOf[Properties]

  def setLocalProperties(sc: SparkContext, properties: Properties): Unit = sc.setLocalProperties(properties)

  /** private[spark]; where the PySpark of this Spark lies, as a path of Python's; empty without SPARK_HOME. */
  def pythonPath: String = PythonUtils.sparkPythonPath

  /** private[spark]; a text without what `spark.sql.redaction.string.regex` hides. */
  def redacted(session: SparkSession, text: String): String =
    Utils.redact(session.sessionState.conf.stringRedactionPattern, text)

  /** private[sql]; what a name means for a statement that creates or replaces it, if that is in the session catalog:
    * the current catalog and namespace complete it.
    */
  def sessionIdentifier(session: SparkSession, parts: Seq[String]): Option[TableIdentifier] = {
    val lookup = new Lookup(session.sessionState.catalogManager)
    parts match {
      case lookup.SessionCatalogAndIdentifier(_, id) if id.namespace.length == 1 =>
        Some(TableIdentifier(id.name, Some(id.namespace.head)))
      case _ => None
    }
  }

  /** private[sql]; the catalog and the name in it that a name means for a statement that reads or changes rows. */
  def catalogAndIdentifier(session: SparkSession, parts: Seq[String]): Option[(CatalogPlugin, Identifier)] = {
    val lookup = new Lookup(session.sessionState.catalogManager)
    parts match {
      case lookup.CatalogAndIdentifier(catalog, id) => Some((catalog, id))
      case _                                        => None
    }
  }

  /** private[spark]; makes a plan that of the DataFrame which Spark Connect knows by this ID. */
  def identify(plan: LogicalPlan, frame: Long): Unit = plan.setTagValue(LogicalPlan.PLAN_ID_TAG, frame)

  final private class Lookup(val catalogManager: CatalogManager) extends LookupCatalog

  /** private[sql]. */
  def timeTravelUnsupported(parts: Seq[String]): Throwable =
    QueryCompilationErrors.timeTravelUnsupportedError(parts.map(QuotingUtils.quoteIdentifier).mkString("."))

  /** private[sql]. */
  def tableAlreadyExists(table: CatalogTable): Throwable =
    QueryCompilationErrors.tableAlreadyExistsError(table.identifier)

  /** private[sql]; the partition columns by their own names, with Spark's error for a name that is none of them. */
  def normalizedPartition(session: SparkSession, table: CatalogTable, spec: TablePartitionSpec): TablePartitionSpec =
    PartitioningUtils
      .normalizePartitionSpec(spec, table.partitionSchema, table.qualifiedName, session.sessionState.conf.resolver)

  /** private[sql]; what Spark says of the conditions of a MERGE, which it looks at only for its own kind of table
    * (RewriteMergeIntoTable).
    */
  def checkMergeConditions(m: MergeIntoTable): Unit = {
    checkMergeCondition("SEARCH", m.mergeCondition)
    (m.matchedActions ++ m.notMatchedActions ++ m.notMatchedBySourceActions).foreach {
      case SparkLineNodes.MergeUpdate(condition, _, _) => condition.foreach(checkMergeCondition("UPDATE", _))
      case DeleteAction(condition)                     => condition.foreach(checkMergeCondition("DELETE", _))
      case InsertAction(condition, _)                  => condition.foreach(checkMergeCondition("INSERT", _))
      case _                                           =>
    }
  }

  private def checkMergeCondition(name: String, condition: Expression): Unit = {
    if (!condition.deterministic) throw QueryCompilationErrors.nonDeterministicMergeCondition(name, condition)
    if (SubqueryExpression.hasSubquery(condition))
      throw QueryCompilationErrors.subqueryNotAllowedInMergeCondition(name, condition)
    if (condition.exists(_.isInstanceOf[AggregateExpression]))
      throw QueryCompilationErrors.aggregationNotAllowedInMergeCondition(name, condition)
  }

  /** private; fills caches anew whose plan has such a part, also in a subquery, where Spark's own ways do not look. */
  def recache(session: SparkSession, isMeant: LogicalPlan => Boolean): Unit = {
    def isOf(cached: CachedData) = cached.plan.collectWithSubqueries { case part if isMeant(part) => part }.nonEmpty
    val recache = classOf[CacheManager]
      .getDeclaredMethod("recacheByCondition", classOf[SparkSession], classOf[CachedData => Boolean])
    recache.setAccessible(true)
    try recache.invoke(session.sharedState.cacheManager, session, isOf _)
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  /** private[sql]; Spark's optimizer without a rule of any extension. */
  def plainOptimizer(session: SparkSession): SparkOptimizer = {
    val state = session.sessionState
    new SparkOptimizer(state.catalogManager, state.catalog, new ExperimentalMethods)
  }
}
