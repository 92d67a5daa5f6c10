package hiveacid.search

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** The rows of a session's tables as they are stored, for an erasure. The shim gives them, which knows what rules put
  * between a table and its query.
  */
trait StoredRows {
  def session: SparkSession

  /** The query of these columns. Refused if another extension would put anything between it and the table.
    *
    * @param table
    *   as in SQL
    */
  def select(table: String, columns: Seq[Column]): QueryExecution

  /** The optimized plan of such a query: projections of the table's leaf alone. */
  def optimize(query: QueryExecution): LogicalPlan
}

object StoredRows {

  /** The table as queries see it: its texts have the metastore's types where it is transactional, and else Spark's.
    *
    * @param table
    *   as in SQL, one of the session's own catalog
    */
  def describe(session: SparkSession, table: String): CatalogTable =
    session.table(table).queryExecution.analyzed.collectFirst { case Described(found) => found }.getOrElse {
      throw new IllegalStateException(s"$table is no table of files")
    }

  /** The table that a leaf reads. */
  object Described {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
      case l: LogicalRelation   => l.catalogTable
      case h: HiveTableRelation => Some(h.tableMeta)
      case _                    => None
    }
  }
}
