package hiveacid.guard

import java.util.Locale

import hiveacid.errors.Refusal
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan, MergeIntoTable, UpdateTable}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** Refuses DELETE, UPDATE and MERGE on tables that are not transactional, where Spark itself would: in the planner,
  * when no rule of another extension has taken the statement. Tables of formats that are not Spark's own are left to
  * their extensions.
  */
object PlainRowChanges extends SparkStrategy {
  private val Providers = Set("hive", "orc", "parquet", "avro", "csv", "json", "text", "xml")
  private val NotTransactional = Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL")

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case d: DeleteFromTable => plain(d.table).foreach(refuse("DELETE", _))
      case u: UpdateTable     => plain(u.table).foreach(refuse("UPDATE", _))
      case m: MergeIntoTable  => plain(m.targetTable).foreach(refuse("MERGE", _))
      case _                  =>
    }
    Nil
  }

  /** A DELETE from a table that only Hive's SerDes read. Since 4.3 Spark refuses it in a rule of its own, which comes
    * before the last ones of extensions (HiveAnalysis).
    */
  def refuseOfSerde(d: DeleteFromTable): Unit = EliminateSubqueryAliases(d.table) match {
    case h: HiveTableRelation if d.resolved && !isConverted(h.tableMeta) && isPlain(h.tableMeta) =>
      refuse("DELETE", h.tableMeta)
    case _ =>
  }

  private def plain(target: LogicalPlan): Option[CatalogTable] = target.collectFirst {
    case h: HiveTableRelation if isPlain(h.tableMeta)            => h.tableMeta
    case RelationOfFiles(l, _) if l.catalogTable.exists(isPlain) => l.catalogTable.get
  }

  /** Whether Spark's own readers take the place of the SerDe (RelationConversions). */
  private def isConverted(table: CatalogTable) =
    table.storage.serde.map(_.toLowerCase(Locale.ROOT)).exists(s => s.contains("parquet") || s.contains("orc"))

  private def isPlain(table: CatalogTable) =
    table.provider.exists(p => Providers(p.toLowerCase(Locale.ROOT))) && !AcidTable.isTransactional(table)

  private def refuse(operation: String, table: CatalogTable): Nothing =
    AcidTable.refuse(operation, table, NotTransactional)
}
