package hiveacid.search

import hiveacid.scan.{ForeignNode, ForeignNodes}

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** The rows of a table as they are stored, for an erasure. */
object StoredRows {

  /** The query of these columns. Refused if another extension would put anything between it and the table.
    *
    * @param table
    *   as in SQL
    */
  def select(session: SparkSession, table: String, columns: Seq[Column]): QueryExecution = {
    val query = session.table(table).select(columns: _*).queryExecution
    val plan = query.analyzed
    for (described <- plan.collectFirst { case Described(found) => found }) {
      between(plan).foreach { node =>
        val rule = ForeignNodes.ruleOfAnalyzer(session, fresh(plan))(between)
        ForeignNode(node, rule).refuse("HIVE_ACID_FOREIGN_NODE.KEY", Operation, described)
      }
      ForeignNodes
        .byOptimizer(session, plan)(between)
        .foreach(_.refuse("HIVE_ACID_FOREIGN_NODE.KEY", Operation, described))
    }
    query
  }

  /** The table as queries see it: its texts have the metastore's types where it is transactional, and else Spark's.
    *
    * @param table
    *   as in SQL, one of the session's own catalog
    */
  def describe(session: SparkSession, table: String): CatalogTable =
    session.table(table).queryExecution.analyzed.collectFirst { case Described(found) => found }.getOrElse {
      throw new IllegalStateException(s"$table is no table of files")
    }

  private val Operation = "Searching for subjects"

  private object Described {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
      case l: LogicalRelation   => l.catalogTable
      case h: HiveTableRelation => Some(h.tableMeta)
      case _                    => None
    }
  }

  private def between(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case Project(_, child) => ForeignNode.of(child).map(_.node)
    case other             => Some(other)
  }

  /** The same query of the relation alone. */
  private def fresh(plan: LogicalPlan): LogicalPlan = {
    val leaf = plan.collectLeaves().head match {
      case l: LogicalRelation   => l.copy(output = l.output)
      case h: HiveTableRelation => h.copy(dataCols = h.dataCols)
      case other                => other
    }
    Project(leaf.output, leaf)
  }
}
