package hiveacid.catalog

import org.apache.spark.sql.{SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The transactional tables of the session catalog under another name, as `DataFrameWriter.insertInto` looks them up.
  *
  * Spark's plan of an `insertInto` has the writer's options only if the table is in another catalog than the session's,
  * whose tables take none (DataFrameWriter.insertInto, 3.5.9 to 4.3.0). Nothing else leads from the plan to them.
  */
final class InsertTargets extends FixedTables {
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
  override def name: String = InsertTargets.Name

  override def loadTable(id: Identifier): Table = {
    val session = ApiSession.active.asInstanceOf[SparkSession]
    val found = SessionTables.findTable(session, TableIdentifier(id.name, id.namespace.headOption))
    new MetastoreTable(found.getOrElse(throw new NoSuchTableException(id)))
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def dropTable(id: Identifier): Boolean = refuse("DROP TABLE", id)
}

object InsertTargets {
  private val Name = "hive_acid_insert_into"

  /** The name that `insertInto` is to take for that of a transactional table of the session catalog. */
  def name(session: SparkSession, table: CatalogTable): Seq[String] = {
    val state = session.sessionState
    state.conf.setConfString(s"spark.sql.catalog.$Name", classOf[InsertTargets].getName)
    // the catalog is looked up by the settings of the thread, which may be another session's: a stream has its own
    SQLConf.withExistingConf(state.conf)(state.catalogManager.catalog(Name))
    Seq(Name, table.database, table.identifier.table)
  }
}
