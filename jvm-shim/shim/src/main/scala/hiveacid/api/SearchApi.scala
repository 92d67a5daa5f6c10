package hiveacid.api

import hiveacid.commands.AcidWriteCommand
import hiveacid.scan.{BoundQuery, ForeignNode, ForeignNodes}
import hiveacid.search.{KeptNulls, SearchCalls, StoredRows}
import hiveacid.wire.{StatementKind, Wire}

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.{RowAccess, SearchAccess}

/** The methods that `hive_acid_erasure.spark` calls: those of [[SearchCalls]], and the statement that erases. All that
  * the shim knows of searches is here.
  */
object SearchApi extends SearchCalls(new AnalysedRows(_)) {

  /** Runs an INSERT OVERWRITE that replaces the partitions of these names, a JSON array, and no others, or a table
    * without partitions, by rows of its own. A partition that gets no row becomes empty. The names may be those of
    * subjects, so that they stand in no text and no plan.
    */
  def overwrite(session: SparkSession, statement: String, partitions: String): Unit = SearchAccess.within(session) {
    val parsed = session.sessionState.sqlParser.parsePlan(statement)
    session.sessionState.executePlan(parsed).analyzed match {
      case command @ AcidWriteCommand(StatementKind.Overwrite, _, _, _, _, Some(overwrite), _, _, _) =>
        val named = overwrite.copy(names = Wire.read[Seq[String]](partitions))
        val statement = CurrentOrigin.withOrigin(command.origin) {
          command.copy(changes = KeptNulls(command.changes), overwrite = Some(named), restores = true)
        }
        RowAccess.frame(session, statement)
      case other => throw new IllegalStateException(s"an overwrite of a transactional table became ${other.nodeName}")
    }
  }
}

/** Stored rows by way of the session's analysis and optimizer. */
final private class AnalysedRows(override val session: SparkSession) extends StoredRows {
  import AnalysedRows._

  override def select(table: String, columns: Seq[Column]): QueryExecution = {
    val query = session.table(table).select(columns: _*).queryExecution
    val plan = query.analyzed
    for (described <- plan.collectFirst { case StoredRows.Described(found) => found }) {
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

  // not the query's own optimized plan: that reads a table from its cache, if it has one
  override def optimize(query: QueryExecution): LogicalPlan =
    session.sessionState.optimizer.execute(query.normalized.clone()).transform { case BoundQuery(child, _) => child }
}

private object AnalysedRows {
  private val Operation = "Searching for subjects"

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
