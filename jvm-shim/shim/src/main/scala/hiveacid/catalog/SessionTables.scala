package hiveacid.catalog

import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession

/** Transactional tables by their names in the session catalog. */
object SessionTables {

  /** The transactional table of that name in the session catalog, if there is one, and no temporary view has the name.
    */
  def find(session: SparkSession, id: TableIdentifier): Option[CatalogTable] =
    if (session.sessionState.catalog.isTempView(id)) None else findTable(session, id)

  /** The same where a name is a table's, so that a temporary view of the name is not meant. */
  def findTable(session: SparkSession, id: TableIdentifier): Option[CatalogTable] = {
    val catalog = session.sessionState.catalog
    if (id.catalog.exists(_ != AcidTable.SessionCatalog)) None
    else
      Some(catalog.qualifyIdentifier(id))
        .filter(catalog.tableExists)
        .map(catalog.getTableMetadata)
        .filter(AcidTable.isTransactional)
  }
}
