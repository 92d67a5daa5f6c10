package hiveacid.catalog

import java.util

import scala.jdk.CollectionConverters._

import hiveacid.python.{PythonCatalogApi, ForeignCatalog, PythonSide}
import hiveacid.wire.{CatalogRequest, DescribedDatabase, DescribedTable, DropDatabaseRequest, DropTableRequest, Wire}

import org.apache.spark.sql.{AnalysisException, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The transactional tables of a metastore of the catalog's own, without a Hive client of Spark's. Rows are read and
  * changed as in the session's own catalog, and tables and databases are made and dropped; they are altered elsewhere.
  */
class MetastoreCatalog extends FixedTables with SupportsNamespaces with ForeignCatalog {
  @volatile private var settings = CatalogRequest("", Map.empty)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    settings = CatalogRequest(name, options.asCaseSensitiveMap.asScala.toMap)

  override def name: String = settings.name
  override def request: CatalogRequest = settings
  override def defaultNamespace: Array[String] = Array("default")

  override def loadTable(id: Identifier): Table = new MetastoreTable(description(id))

  /** A table as the metastore knows it; Spark's error if there is none. */
  def description(id: Identifier): CatalogTable = {
    val found = if (id.namespace.length == 1) described(id) else None
    val table = found.getOrElse(throw new NoSuchTableException(id))
    DescribedTables.catalogTable(TableIdentifier(id.name, id.namespace.headOption, Some(name)), table)
  }

  private def described(id: Identifier): Option[DescribedTable] =
    PythonSide.message[Option[DescribedTable]](api.table(s"${id.namespace.head}.${id.name}"))

  override def listTables(namespace: Array[String]): Array[Identifier] = {
    val known = database(namespace)
    PythonSide.message[Seq[String]](api.tables(known.name)).map(Identifier.of(Array(known.name), _)).toArray
  }

  /** The partitions of a table, by the metastore's names and in their order. */
  def partitionNames(table: CatalogTable): Seq[String] =
    PythonSide.message[Seq[String]](api.partitions(table.identifier.copy(catalog = None).unquotedString))

  override def listNamespaces: Array[Array[String]] =
    PythonSide.message[Seq[String]](api.databases()).map(Array(_)).toArray

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
      .flatMap(names => known(names.head))
      .getOrElse(throw new NoSuchNamespaceException(namespace))

  /** Makes a transactional table. Its owner is the user; without a location it lies where the metastore puts it. */
  def create(table: CatalogTable): Unit = {
    NewTables.ask(api, table, table.storage.locationUri.map(_.toString), None)
    PythonSide.text(api.createTable(Wire.write(NewTables.described(table))))
  }

  /** Drops a transactional table.
    *
    * @param isLocked
    *   the running statement holds the locks for it
    */
  def drop(id: TableIdentifier, purges: Boolean, isLocked: Boolean): Unit = {
    val known = id.copy(catalog = None).unquotedString.toLowerCase(java.util.Locale.ROOT)
    PythonSide.text(api.dropTable(Wire.write(DropTableRequest(known, purges, isLocked, sessionSettings))))
  }

  override def dropTable(id: Identifier): Boolean = drop(id, purges = false)
  override def purgeTable(id: Identifier): Boolean = drop(id, purges = true)

  private def drop(id: Identifier, purges: Boolean): Boolean = tableExists(id) && {
    val table = description(id)
    MetastoreTable.refusePlain("DROP TABLE", table)
    drop(table.identifier, purges, isLocked = false)
    true
  }

  override def createNamespace(namespace: Array[String], properties: util.Map[String, String]): Unit = {
    val asked = properties.asScala.toMap
    val name = Some(namespace).filter(_.length == 1).getOrElse(refuse("CREATE DATABASE", namespace)).head
    if (known(name).isDefined) throw new NamespaceAlreadyExistsException(namespace)
    val made = DescribedDatabase(
      name = name,
      comment = asked.get(SupportsNamespaces.PROP_COMMENT),
      location = asked.get(SupportsNamespaces.PROP_LOCATION),
      owner = asked.get(SupportsNamespaces.PROP_OWNER),
      properties = asked -- MetastoreCatalog.ReservedProperties
    )
    PythonSide.text(api.createDatabase(Wire.write(made)))
  }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = {
    val known = database(namespace)
    if (!cascade && listTables(namespace).nonEmpty)
      throw new AnalysisException("SCHEMA_NOT_EMPTY", Map("schemaName" -> s"`$name`.`${known.name}`"))
    val request = DropDatabaseRequest(known.name, cascade, sessionSettings)
    PythonSide.text(api.dropDatabase(Wire.write(request)))
    true
  }

  private def known(name: String) = PythonSide.message[Option[DescribedDatabase]](api.database(name))

  private def sessionSettings = PythonSide.settings(session)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    refuse("ALTER DATABASE", namespace)

  private def session = ApiSession.active.asInstanceOf[SparkSession]

  private def api: PythonCatalogApi = PythonSide.apiFor(session, this)
}

object MetastoreCatalog {
  private val ReservedProperties =
    Seq(SupportsNamespaces.PROP_COMMENT, SupportsNamespaces.PROP_LOCATION, SupportsNamespaces.PROP_OWNER)
}
