package hiveacid.commands

import hiveacid.catalog.{MetastoreCatalog, ForeignTables}
import hiveacid.python.{PythonApi, PythonSide}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.hiveacid.SparkAccess

/** The catalog whose metastore a statement about transactions, locks or compactions asks. */
sealed private trait StatementCatalog {

  /** The one who asks its metastore. */
  def api: PythonApi

  /** The table as it is described there; Spark's error if there is none. */
  def table(id: TableIdentifier): CatalogTable

  /** Throws Spark's error if there is no such database. */
  def checkDatabase(name: String): Unit
}

private object StatementCatalog {

  /** That of a table, and its name there; None if the name means something in neither kind of catalog. */
  def of(session: SparkSession, parts: Seq[String]): Option[(StatementCatalog, TableIdentifier)] =
    ForeignTables
      .findPlace(session, parts)
      .map { case (own, id) => new Foreign(session, own) -> id }
      .orElse(SparkAccess.sessionIdentifier(session, parts).map(new Session(session) -> _))

  /** That of a statement that names no table: the current one. */
  def current(session: SparkSession): StatementCatalog =
    ForeignTables.currentCatalog(session).fold[StatementCatalog](new Session(session))(new Foreign(session, _))

  /** The session's own. */
  def own(session: SparkSession): StatementCatalog = new Session(session)

  final private class Session(session: SparkSession) extends StatementCatalog {
    override def api: PythonApi = PythonSide.apiFor(session, "(none)")
    override def table(id: TableIdentifier): CatalogTable = session.sessionState.catalog.getTableMetadata(id)
    override def checkDatabase(name: String): Unit = session.sessionState.catalog.getDatabaseMetadata(name)
  }

  final private class Foreign(session: SparkSession, catalog: MetastoreCatalog) extends StatementCatalog {
    override def api: PythonApi = PythonSide.apiFor(session, catalog)
    override def table(id: TableIdentifier): CatalogTable =
      catalog.description(Identifier.of(id.database.toArray, id.table))
    override def checkDatabase(name: String): Unit = catalog.loadNamespaceMetadata(Array(name))
  }
}
