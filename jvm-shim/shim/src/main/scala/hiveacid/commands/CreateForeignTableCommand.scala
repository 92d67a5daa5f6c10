package hiveacid.commands

import hiveacid.catalog.ForeignTables
import hiveacid.plugins.TableStatement

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.hiveacid.SparkAccess

/** Makes a transactional table in a catalog with a metastore of its own. */
case class CreateForeignTableCommand(table: CatalogTable, ignoreIfExists: Boolean)
    extends LeafRunnableCommand
    with TableStatement {
  override def nodeName: String = "HiveAcid CREATE TABLE"
  override def statementKind: String = "CREATE TABLE"
  override def targets: Seq[TableIdentifier] = Seq(table.identifier)
  override def sources: Seq[TableIdentifier] = Nil
  override def simpleString(maxFields: Int): String = s"$nodeName ${table.identifier.unquotedString}"

  override def run(api: ApiSession): Seq[Row] = {
    val namespace = table.identifier.database.toArray
    val catalog = ForeignTables.catalogOf(api.asInstanceOf[SparkSession], table).get
    if (!catalog.namespaceExists(namespace)) throw new NoSuchNamespaceException(namespace)
    if (!catalog.tableExists(Identifier.of(namespace, table.identifier.table))) catalog.create(table)
    else if (!ignoreIfExists) throw SparkAccess.tableAlreadyExists(table)
    Nil
  }
}
