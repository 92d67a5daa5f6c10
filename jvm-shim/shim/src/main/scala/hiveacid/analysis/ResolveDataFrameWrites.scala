package hiveacid.analysis

import java.util.Locale

import hiveacid.catalog.{MetastoreTable, NewTables, ForeignTables, SessionTables}
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.commands.InsertByName
import hiveacid.errors.Refusal

import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.analysis.{UnresolvedIdentifier, UnresolvedRelation, UnresolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.CreateTable
import org.apache.spark.sql.hiveacid.{SparkLineNodes, SparkLineStatements, SaveAsTable, SparkAccess}

/** Turns DataFrames' writes by the names of columns (`writeTo`, `saveAsTable`) into the INSERT that means the same, and
  * refuses writes that Spark refuses without a name, or carries out by dropping the table, before a later rule can see
  * them.
  */
case class ResolveDataFrameWrites(session: SparkSession) extends Rule[LogicalPlan] {
  import SparkLineStatements._

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case InsertedInto(i, isDynamic, options) if MetastoreTable.unapply(i.table).isDefined =>
      val t = MetastoreTable.unapply(i.table).get
      val target = if (AcidTable.foreignCatalog(t).isDefined) written(t) else UnresolvedRelation(t.identifier.nameParts)
      honouring(t, "insertInto", options).honoured(i.copy(table = target), isDynamic)
    case AppendByName(Ours(t), query, options) =>
      honouring(t, "writeTo", options).honoured(InsertByName(t.identifier, query), None)
    case OverwritePartitionsByName(Ours(t), query, options) =>
      honouring(t, "writeTo", options).refuseOthers(isDynamic = true)
      overwriting(InsertByName(t.identifier, query), isDynamic = true)
    case OverwriteByName(Ours(t), condition, query, options) =>
      honouring(t, "writeTo", options).refuseOthers(isDynamic = false)
      replace(t, condition, InsertByName(t.identifier, query))
    case InsertReplaceWhere(i @ Ours.Written(t), condition) =>
      honouring(t, "INSERT … WITH", StatedOptions.of(i.table)).refuseOthers(isDynamic = false)
      replace(t, condition, i.copy(table = StatedOptions.removed(i.table)))
    case i: InsertIntoStatement if StatedOptions.of(i.table).nonEmpty && Ours.unapply(i.table).isDefined =>
      val write = honouring(Ours.unapply(i.table).get, "INSERT … WITH", StatedOptions.of(i.table))
      write.honoured(i.copy(table = StatedOptions.removed(i.table)), None)
    case WithCTE(d @ DeleteFromTable(Ours(_), _), definitions) => PlaceDefinitions(d, definitions)
    case WithCTE(u @ UpdateTable(Ours(_), _, _), definitions)  => PlaceDefinitions(u, definitions)
    case WithCTE(m: MergeIntoTable, definitions) if Ours.unapply(m.targetTable).isDefined =>
      PlaceDefinitions(m, definitions)
    case l: LoadData => Ours.unapply(l.child).fold[LogicalPlan](l)(LoadFiles.insert(session, _, l))
    case InsertReplaceMatches(i @ Ours.Written(t), keys, alias) =>
      honouring(t, "INSERT … WITH", StatedOptions.of(i.table)).refuseOthers(isDynamic = false)
      ReplaceMatches(t, alias, keys, i.copy(table = UnresolvedRelation(t.identifier.nameParts)))
    case w: V2WriteCommand =>
      refuse(w, w.table, s"writeTo (${w.nodeName})", Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.DATAFRAME_WRITE"))
    case i: InsertIntoStatement  => ownTarget(i.table).fold(i)(t => i.copy(table = written(t)))
    case r: ReplaceTable         => refuse(r, r.name, "REPLACE TABLE", Replacement)
    case r: ReplaceTableAsSelect => refuse(r, r.name, "REPLACE TABLE AS SELECT", Replacement)
    case c: CreateTable if c.query.isDefined && SparkLineNodes.saveAsTable(c).isEmpty =>
      SessionTables.findTable(session, c.tableDesc.identifier).fold(created(c, saved(c))) { t =>
        AcidTable.refuse("CREATE TABLE … AS SELECT", t, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.TABLE_EXISTS"))
      }
    case other =>
      SparkLineNodes.saveAsTable(other).fold(other) { s =>
        SessionTables.findTable(session, s.table.identifier).fold(created(other, s))(saveAsTable(_, s))
      }
  }

  /** The table of a catalog with a metastore of its own, in which Spark would make the INSERT a node of its own. */
  private def ownTarget(relation: LogicalPlan): Option[CatalogTable] = relation match {
    case UnresolvedRelation(parts, _, _) if ForeignTables.isForeign(session, parts) => AcidRelation.read(session, parts)
    case _                                                                          => None
  }

  private def written(t: CatalogTable): LogicalPlan = AcidRelation.relation(session, t, Nil, isWritten = true)

  /** The table stays as it is, also where its rows are overwritten. */
  private def saveAsTable(t: CatalogTable, s: SaveAsTable): LogicalPlan = {
    val partition = s.table.partitionColumnNames
    val others = partition.nonEmpty && !partition.corresponds(t.partitionColumnNames)(_.equalsIgnoreCase(_))
    val isClustered = s.table.properties.contains(AcidTable.ClusteringColumns)
    s.mode match {
      case SaveMode.ErrorIfExists => throw SparkAccess.tableAlreadyExists(t)
      case SaveMode.Ignore        => LocalRelation()
      case _ if others || isClustered || s.table.bucketSpec.exists(!t.bucketSpec.contains(_)) =>
        AcidTable.refuse("saveAsTable", t, Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OTHER_LAYOUT"))
      case mode =>
        val insert = InsertByName(t.identifier, s.query).copy(overwrite = mode == SaveMode.Overwrite)
        honouring(t, "saveAsTable", s.options).honoured(insert, otherwise = Some(false))
    }
  }

  /** Before 4.1 `saveAsTable` is this node in every mode. */
  private def saved(c: CreateTable) = SaveAsTable(c.tableDesc, c.mode, c.query.get)

  /** A new table by the option `transactional`, which Spark would keep with its own kind of table. */
  private def created(plan: LogicalPlan, s: SaveAsTable): LogicalPlan =
    if (!AcidTable.setsTransactional(s.options)) plan
    else {
      val exists = session.sessionState.catalog.tableExists(s.table.identifier)
      val taken = Set("fileformat", "path")
      val others = s.options.filterNot { case (key, _) =>
        !exists && SpecifyTransactional.isOfKind(key) || taken(key.toLowerCase(Locale.ROOT))
      }
      val table = s.table.copy(identifier = session.sessionState.catalog.qualifyIdentifier(s.table.identifier))
      honouring(table, "saveAsTable", others)
      table.provider.foreach(SpecifyTransactional.refuseOther(session, "saveAsTable", AcidTable.name(table), _))
      CreateTable(
        NewTables.ofOrc(table, s.options.filter { case (key, _) => SpecifyTransactional.isOfKind(key) }),
        if (s.mode == SaveMode.Ignore) SaveMode.Ignore else SaveMode.ErrorIfExists,
        Some(s.query)
      )
    }

  private def honouring(t: CatalogTable, operation: String, options: Map[String, String]) =
    new WriteOptions(session, t, operation, options)

  private def overwriting(insert: InsertIntoStatement, isDynamic: Boolean): LogicalPlan =
    ChosenOverwrite(insert.copy(overwrite = true), isDynamic)

  private def replace(t: CatalogTable, condition: Expression, insert: InsertIntoStatement): LogicalPlan =
    if (condition == TrueLiteral) overwriting(insert, isDynamic = false)
    else ReplaceWhere(t, condition, insert)

  private object Ours {
    def unapply(relation: LogicalPlan): Option[CatalogTable] = relation match {
      case UnresolvedIdentifier(parts, _) =>
        SparkAccess
          .sessionIdentifier(session, parts)
          .flatMap(SessionTables.find(session, _))
          .orElse(ForeignTables.find(session, parts))
      case MetastoreTable(table)           => Some(table)
      case UnresolvedRelation(parts, _, _) => AcidRelation.read(session, parts)
      case u: UnresolvedTable              => AcidRelation.read(session, u.multipartIdentifier)
      case SubqueryAlias(_, child)         => unapply(child)
      case _                               => None
    }

    object Written {
      def unapply(i: InsertIntoStatement): Option[CatalogTable] = Ours.unapply(i.table)
    }
  }

  private def refuse(plan: LogicalPlan, relation: LogicalPlan, operation: String, refusal: Refusal): LogicalPlan =
    Ours.unapply(relation).fold(plan)(t => AcidTable.refuse(operation, t, refusal))

  private def Replacement = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_TABLE")
}
