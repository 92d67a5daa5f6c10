package hiveacid.commands

import hiveacid.catalog.OwnTables

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.hiveacid.SparkAccess

/** Makes a transactional table in a catalog with a metastore of its own. */
case class CreateOwnTableCommand(table: CatalogTable, ignoreIfExists: Boolean) extends LeafRunnableCommand {
  override def nodeName: String = "HiveAcid CREATE TABLE"
  override def simpleString(maxFields: Int): String = s"$nodeName ${table.identifier.unquotedString}"

  override def run(api: ApiSession): Seq[Row] = {
    val namespace = table.identifier.database.toArray
    val catalog = OwnTables.catalogOf(api.asInstanceOf[SparkSession], table).get
    if (!catalog.namespaceExists(namespace)) throw new NoSuchNamespaceException(namespace)
    if (!catalog.tableExists(Identifier.of(namespace, table.identifier.table))) catalog.create(table)
    else if (!ignoreIfExists) throw SparkAccess.tableAlreadyExists(table)
    Nil
  }
}
