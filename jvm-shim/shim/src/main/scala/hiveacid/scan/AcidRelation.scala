package hiveacid.scan

import hiveacid.values.AcidTable
import hiveacid.catalog.MetastoreTable
import hiveacid.errors.Refusal
import hiveacid.read.FormatChoice

import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedRelation}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnaryNode, View}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.hiveacid.RowAccess
import org.apache.spark.sql.internal.SQLConf

/** A transactional table as a relation of Spark's file sources that our own index and reader serve. */
object AcidRelation {

  /** The transactional table that Spark reads by this name, as in SQL: in the current catalog or another, on the SQL
    * path, but not through a view.
    */
  def read(session: SparkSession, parts: Seq[String]): Option[CatalogTable] =
    named(session.sessionState.analyzer.execute(UnresolvedRelation(parts))).flatMap(_.catalogTable)

  /** Our relation in what the analyzer makes of a table's name. It projects where columns of type CHAR are padded, and
    * rules of other extensions filter rows and mask columns. A view is no table.
    */
  def named(plan: LogicalPlan): Option[LogicalRelation] = plan match {
    case l: LogicalRelation if isOurs(l) => Some(l)
    case _: View                         => None
    case node: UnaryNode                 => named(node.child)
    case _                               => None
  }

  /** The same as the target of a statement, which is read as it is stored: the relation with its columns of type CHAR.
    */
  def bare(plan: LogicalPlan): LogicalPlan = plan match {
    case s: SubqueryAlias => s.copy(child = bare(s.child))
    case other            =>
      named(other).fold(other) { l =>
        val declared = LogicalRelation(l.relation, l.catalogTable.get).output
        l.copy(output = l.output.zip(declared).map { case (column, other) => other.withExprId(column.exprId) })
      }
  }

  /** True for a relation that our own index and file format serve. */
  def isOurs(l: LogicalRelation): Boolean = AcidScan.unapply(l).isDefined

  /** The transactional table that a relation node of Spark's own names, before our relation has replaced it. */
  def unapply(plan: LogicalPlan): Option[CatalogTable] = plan match {
    case h: HiveTableRelation if AcidTable.isTransactional(h.tableMeta)                       => Some(h.tableMeta)
    case l: LogicalRelation if !isOurs(l) && l.catalogTable.exists(AcidTable.isTransactional) => l.catalogTable
    case MetastoreTable(table)                                                                => Some(table)
    case _                                                                                    => None
  }

  /** Our relation below aliases: the target of a DML statement. */
  object Target {
    def unapply(plan: LogicalPlan): Option[LogicalRelation] = plan match {
      case l: LogicalRelation if isOurs(l) => Some(l)
      case SubqueryAlias(_, child)         => unapply(child)
      case _                               => None
    }
  }

  /** Our relation in the text of a function of SQL that is understood in another time zone than the session's, and that
    * zone. The node of a view tells its zone.
    */
  object OfFunction {
    def unapply(plan: LogicalPlan): Option[(LogicalRelation, String)] = plan match {
      case AcidScan(l, fs, _) => fs.options.get(FunctionZone).map((l, _))
      case _                  => None
    }
  }

  private val FunctionZone = "hiveacid.functionTimeZone"

  /** The options of a relation that the analyzer resolves: it takes texts of views and functions under the settings
    * that they were made under.
    */
  def resolvedOptions(session: SparkSession): Map[String, String] = {
    val zone = SQLConf.get.sessionLocalTimeZone
    val isOfOther = zone != session.sessionState.conf.sessionLocalTimeZone && AnalysisContext.get.nestedViewDepth == 0
    if (isOfOther) Map(FunctionZone -> zone) else Map.empty
  }

  /** Our relation in place of Spark's own. It keeps the old attribute IDs, which other nodes may refer to already.
    *
    * Any column that is read may be NULL, also one that Spark knows as NOT NULL: it keeps that where Hive and Trino do
    * not look.
    *
    * @param isWritten
    *   the target of an INSERT, which is not read: NOT NULL holds for its new values
    */
  def relation(
      session: SparkSession,
      t: CatalogTable,
      output: Seq[AttributeReference],
      isWritten: Boolean = false,
      options: Map[String, String] = Map.empty
  ): LogicalRelation = {
    refuseUnreadable(t)
    val zone = session.sessionState.conf.sessionLocalTimeZone
    val described = if (isWritten) t else RowAccess.withNulls(t)
    val index = AcidFileIndex(session, described, zone, isWritten = isWritten)
    val format = formatOf("Access", t).reader(zone, described)
    val fs = HadoopFsRelation(index, described.partitionSchema, described.dataSchema, None, format, options)(session)
    val plain = LogicalRelation(fs, t)
    val kept = plain.output.map { a =>
      output.find(_.name.equalsIgnoreCase(a.name)).fold(a)(old => a.withExprId(old.exprId))
    }
    plain.copy(output = kept)
  }

  /** A new table that rows could not be inserted into. */
  def refuseUnwritable(operation: String, t: CatalogTable): Unit = {
    val format = formatOf(operation, t)
    val refusal = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.FORMAT_READ_ONLY", Map("format" -> format.word))
    if (!format.isWritten) AcidTable.refuse(operation, t, refusal)
  }

  /** The format of the table's files; tables are refused whose files nobody here can read. */
  def formatOf(operation: String, t: CatalogTable): FormatChoice =
    FormatChoice
      .of(t)
      .fold(refusal => AcidTable.refuse(operation, t, refusal), identity)

  private def refuseUnreadable(t: CatalogTable): Unit = {
    MetastoreTable.refusePlain("Access", t)
    val format = formatOf("Access", t)
    def refuse(refusal: Refusal) = AcidTable.refuse("Access", t, refusal)
    if (t.storage.locationUri.isEmpty) refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_LOCATION"))
    // their reader asks the session's own catalog for the partitions
    AcidTable.foreignCatalog(t).filter(_ => format.isInstanceOf[FormatChoice.Serde]).foreach { catalog =>
      refuse(
        Refusal("HIVE_ACID_UNSUPPORTED_TABLE.SERDE_IN_OWN_CATALOG", Map("catalog" -> catalog, "format" -> format.word))
      )
    }
    if (format == FormatChoice.AcidOrc && t.schema.fieldNames.exists(_.equalsIgnoreCase("row__id")))
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.ROW_ID_COLUMN"))
    // ORC cuts such a name when it opens the file (OrcUtils.convertTypeFromProtobuf): the column would be NULL
    if (format.word == "ORC") t.dataSchema.fieldNames.find(_.contains('`')).foreach { column =>
      refuse(Refusal("HIVE_ACID_UNSUPPORTED_TABLE.BACKTICK_COLUMN", Map("column" -> column)))
    }
  }
}
