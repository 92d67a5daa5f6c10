package hiveacid

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** What a transactional table looks like to Spark. */
object AcidTables {

  /** What Spark calls the catalog that the metastore is behind. */
  val SessionCatalog = "spark_catalog"

  def isTransactional(t: CatalogTable): Boolean =
    t.tableType != CatalogTableType.VIEW && setsTransactional(t.properties)

  def isInsertOnly(t: CatalogTable): Boolean =
    property(t, "transactional_properties").exists(_.equalsIgnoreCase("insert_only"))

  private def property(t: CatalogTable, key: String): Option[String] =
    t.properties.collectFirst { case (k, v) if k.equalsIgnoreCase(key) => v }

  /** True for table properties that make a table transactional. */
  def setsTransactional(properties: Map[String, String]): Boolean = properties.exists { case (key, value) =>
    key.equalsIgnoreCase("transactional") && value.equalsIgnoreCase("true")
  }

  def name(t: CatalogTable): String = {
    val database = t.identifier.database.getOrElse("default")
    s"$database.${t.identifier.table}".toLowerCase(java.util.Locale.ROOT)
  }

  /** The partition columns, spelled as in the metastore's names of partitions. */
  def partitionKeys(t: CatalogTable): Seq[orc.PartitionNames.Key] = t.partitionSchema.map { field =>
    val rawType = CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)
    orc.PartitionNames.Key(field.name.toLowerCase(java.util.Locale.ROOT), rawType)
  }

  /** The transactional table that Spark reads by this name, as in SQL: in the current catalog or another, on the SQL
    * path, but not through a view.
    */
  def read(session: SparkSession, parts: Seq[String]): Option[CatalogTable] =
    unpadded(session.sessionState.analyzer.execute(UnresolvedRelation(parts))) match {
      case Target(l) => l.catalogTable
      case _         => None
    }

  /** Without the projection by which Spark pads columns of type CHAR where a table is read. */
  private def unpadded(plan: LogicalPlan): LogicalPlan = plan match {
    case s @ SubqueryAlias(_, child) => s.copy(child = unpadded(child))
    case Project(_, child)           => unpadded(child)
    case other                       => other
  }

  /** The transactional table of that name in the session catalog, if there is one. */
  def find(session: SparkSession, id: TableIdentifier): Option[CatalogTable] = {
    val catalog = session.sessionState.catalog
    if (catalog.isTempView(id) || id.catalog.exists(_ != SessionCatalog) || !catalog.tableExists(id)) None
    else Some(catalog.getTableMetadata(id)).filter(isTransactional)
  }

  /** True for a relation that our own index and file format serve. */
  def isOurs(l: LogicalRelation): Boolean = l.relation match {
    case h: HadoopFsRelation => h.location.isInstanceOf[AcidFileIndex]
    case _                   => false
  }

  /** The transactional table that a relation node of Spark's own names, before our relation has replaced it. */
  def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
    case h: HiveTableRelation if isTransactional(h.tableMeta)                       => Some(h.tableMeta)
    case l: LogicalRelation if !isOurs(l) && l.catalogTable.exists(isTransactional) => l.catalogTable
    case _                                                                          => None
  }

  /** Our relation below aliases: the target of a DML statement. */
  object Target {
    def unapply(plan: LogicalPlan): Option[LogicalRelation] = plan match {
      case l: LogicalRelation if isOurs(l) => Some(l)
      case SubqueryAlias(_, child)         => unapply(child)
      case _                               => None
    }
  }

  /** Our relation in place of Spark's own. It keeps the old attribute IDs, which other nodes may refer to already. */
  def relation(
      session: SparkSession,
      t: CatalogTable,
      output: Seq[AttributeReference],
      isWritten: Boolean = false
  ): LogicalRelation = {
    refuseUnreadable(t)
    val index = new AcidFileIndex(session, t, None, isWritten = isWritten)
    val format = formatOf("Access", t).reader(session, t)
    val fs = HadoopFsRelation(index, t.partitionSchema, t.dataSchema, None, format, Map.empty)(session)
    val plain = LogicalRelation(fs, t)
    val kept = plain.output.map { a =>
      output.find(_.name.equalsIgnoreCase(a.name)).fold(a)(old => a.withExprId(old.exprId))
    }
    plain.copy(output = kept)
  }

  /** Rows are written in no order. The metastore makes no such table full ACID (TransactionalValidationListener). */
  def refuseSorted(operation: String, t: CatalogTable): Unit =
    t.bucketSpec.filter(_.sortColumnNames.nonEmpty).foreach { b =>
      val reason = s"it is SORTED BY ${b.sortColumnNames.mkString(", ")}, an order in which rows are not written"
      throw AcidException.unsupportedTable(operation, name(t), reason)
    }

  /** A new table that rows could not be inserted into. */
  def refuseUnwritable(operation: String, t: CatalogTable): Unit = {
    val format = formatOf(operation, t)
    if (!format.isWritten)
      throw AcidException.unsupportedTable(operation, name(t), s"its files are ${format.word}, which are only read")
  }

  /** What the table's files are; tables are refused whose files nobody here can read. */
  def formatOf(operation: String, t: CatalogTable): TableFormat =
    TableFormat.of(t).fold(reason => throw AcidException.unsupportedTable(operation, name(t), reason), identity)

  private def refuseUnreadable(t: CatalogTable): Unit = {
    val format = formatOf("Access", t)
    if (t.storage.locationUri.isEmpty)
      throw AcidException.unsupportedTable("Access", name(t), "the metastore gives it no location")
    if (format == TableFormat.AcidOrc && t.schema.fieldNames.exists(_.equalsIgnoreCase("row__id")))
      throw AcidException.unsupportedTable("Access", name(t), "a column is named like the hidden ROW__ID")
    // ORC cuts such a name when it opens the file (OrcUtils.convertTypeFromProtobuf): the column would be NULL
    if (format.word == "ORC") t.dataSchema.fieldNames.find(_.contains('`')).foreach { column =>
      throw AcidException.unsupportedTable("Access", name(t), s"ORC cannot read the column $column, for its backtick")
    }
  }
}
