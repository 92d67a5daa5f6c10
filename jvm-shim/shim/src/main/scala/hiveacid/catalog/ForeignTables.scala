package hiveacid.catalog

import hiveacid.errors.AcidException
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.hiveacid.SparkAccess

/** Tables of catalogs with metastores of their own, by the names that statements have for them. */
object ForeignTables {

  /** Whether a name means something in such a catalog; the current catalog and namespace complete it. */
  def isForeign(session: SparkSession, parts: Seq[String]): Boolean = place(session, parts).isDefined

  /** The table of that name. */
  def find(session: SparkSession, parts: Seq[String]): Option[CatalogTable] = place(session, parts).flatMap {
    case (catalog, id) => if (catalog.tableExists(id)) MetastoreTable.of(catalog.loadTable(id)) else None
  }

  /** The catalog that a name means something in, if it is such a one, and the name there. */
  def findPlace(session: SparkSession, parts: Seq[String]): Option[(MetastoreCatalog, TableIdentifier)] =
    place(session, parts).collect {
      case (catalog, id) if id.namespace.length == 1 =>
        catalog -> TableIdentifier(id.name, id.namespace.headOption, Some(catalog.name))
    }

  /** The current catalog, if it is such a one. */
  def currentCatalog(session: SparkSession): Option[MetastoreCatalog] =
    Some(session.sessionState.catalogManager.currentCatalog).collect { case own: MetastoreCatalog => own }

  /** The catalog of a table, None for that of the session; refuses by name if Spark has another under the name. */
  def catalogOf(session: SparkSession, table: CatalogTable): Option[MetastoreCatalog] =
    AcidTable.foreignCatalog(table).map(session.sessionState.catalogManager.catalog).map {
      case own: MetastoreCatalog => own
      case _                     => throw AcidException("HIVE_ACID_NO_PLANNER", Map("table" -> AcidTable.name(table)))
    }

  private def place(session: SparkSession, parts: Seq[String]): Option[(MetastoreCatalog, Identifier)] =
    SparkAccess.catalogAndIdentifier(session, parts).collect { case (own: MetastoreCatalog, id) => (own, id) }
}
