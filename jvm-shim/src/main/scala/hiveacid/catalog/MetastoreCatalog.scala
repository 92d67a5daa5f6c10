package hiveacid.catalog

import java.util

import scala.jdk.CollectionConverters._

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.python.{CatalogPlanner, OwnCatalog, PythonSide}
import hiveacid.wire.{CatalogRequest, DescribedDatabase, DescribedTable}

import org.apache.spark.sql.{SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The transactional tables of a metastore of the catalog's own, without a Hive client of Spark's. Rows are read and
  * changed as in the session's own catalog; tables and databases are made and altered elsewhere.
  */
class MetastoreCatalog extends TableCatalog with SupportsNamespaces with OwnCatalog {
  @volatile private var settings = CatalogRequest("", Map.empty)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    settings = CatalogRequest(name, options.asCaseSensitiveMap.asScala.toMap)

  override def name: String = settings.name
  override def request: CatalogRequest = settings
  override def defaultNamespace: Array[String] = Array("default")

  override def loadTable(id: Identifier): Table = new MetastoreTable(description(id))

  /** What the metastore knows of a table; Spark's error if there is none. */
  def description(id: Identifier): CatalogTable = {
    val found = if (id.namespace.length == 1) described(id) else None
    val table = found.getOrElse(throw new NoSuchTableException(id))
    DescribedTables.catalogTable(TableIdentifier(id.name, id.namespace.headOption, Some(name)), table)
  }

  private def described(id: Identifier): Option[DescribedTable] =
    PythonSide.message[Option[DescribedTable]](planner.table(s"${id.namespace.head}.${id.name}"))

  override def listTables(namespace: Array[String]): Array[Identifier] = {
    val known = database(namespace)
    PythonSide.message[Seq[String]](planner.tables(known.name)).map(Identifier.of(Array(known.name), _)).toArray
  }

  override def listNamespaces: Array[Array[String]] =
    PythonSide.message[Seq[String]](planner.databases()).map(Array(_)).toArray

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    if (namespace.isEmpty) listNamespaces
    else {
      database(namespace)
      Array.empty
    }

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = {
    val found = database(namespace)
    val own = Seq(
      SupportsNamespaces.PROP_COMMENT -> found.comment,
      SupportsNamespaces.PROP_LOCATION -> found.location,
      SupportsNamespaces.PROP_OWNER -> found.owner
    )
    (found.properties ++ own.collect { case (key, Some(value)) => key -> value }).asJava
  }

  private def database(namespace: Array[String]): DescribedDatabase =
    Some(namespace)
      .filter(_.length == 1)
      .flatMap(names => PythonSide.message[Option[DescribedDatabase]](planner.database(names.head)))
      .getOrElse(throw new NoSuchNamespaceException(namespace))

  // all that makes or alters something is left to the metastore's own engines

  override def createTable(
      id: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table = refuse("CREATE TABLE", id)

  override def createTable(
      id: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table = refuse("CREATE TABLE", id)

  override def alterTable(id: Identifier, changes: TableChange*): Table = refuse("ALTER TABLE", id)
  override def dropTable(id: Identifier): Boolean = refuse("DROP TABLE", id)
  override def purgeTable(id: Identifier): Boolean = refuse("DROP TABLE", id)
  override def renameTable(from: Identifier, to: Identifier): Unit = refuse("RENAME TABLE", from)

  override def createNamespace(namespace: Array[String], properties: util.Map[String, String]): Unit =
    refuse("CREATE DATABASE", namespace)
  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    refuse("ALTER DATABASE", namespace)
  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = refuse("DROP DATABASE", namespace)

  private def refuse(operation: String, id: Identifier): Nothing = refuse(operation, id.namespace :+ id.name)

  private def refuse(operation: String, parts: Array[String]): Nothing = throw AcidException.unsupported(
    operation,
    (name +: parts).mkString("."),
    Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG", Map("catalog" -> name))
  )

  private def planner: CatalogPlanner =
    PythonSide.plannerFor(ApiSession.active.asInstanceOf[SparkSession], this)
}
