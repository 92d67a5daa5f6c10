package hiveacid.catalog

import hiveacid.python.OwnCatalog

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.hiveacid.SparkAccess

/** Tables of catalogs with metastores of their own, by the names that statements have for them. */
object OwnTables {

  /** Whether a name means something in such a catalog; the current catalog and namespace complete it. */
  def isOwn(session: SparkSession, parts: Seq[String]): Boolean = place(session, parts).isDefined

  /** The table of that name. */
  def find(session: SparkSession, parts: Seq[String]): Option[CatalogTable] = place(session, parts).flatMap {
    case (catalog, id) => if (catalog.tableExists(id)) MetastoreTable.of(catalog.loadTable(id)) else None
  }

  private def place(session: SparkSession, parts: Seq[String]): Option[(TableCatalog, Identifier)] =
    SparkAccess.catalogAndIdentifier(session, parts).collect { case (own: TableCatalog with OwnCatalog, id) =>
      (own, id)
    }
}
