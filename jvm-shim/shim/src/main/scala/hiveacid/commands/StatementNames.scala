package hiveacid.commands

import java.util.Locale

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** The names in a statement that are of tables, stored views, columns and fields. All others are its own, as aliases
  * are, and its text in the history does not tell them.
  */
object StatementNames {

  /** In lower case, each once. */
  def of(command: AcidWriteCommand): Seq[String] = {
    val read = command.changes.collectWithSubqueries {
      case l: LogicalRelation       => l.catalogTable.toSeq.flatMap(ofTable) ++ ofType(l.schema)
      case h: HiveTableRelation     => ofTable(h.tableMeta)
      case v: View if !v.isTempView => ofTable(v.desc)
      case r: DataSourceV2Relation  =>
        r.identifier.toSeq.flatMap(id => id.namespace.toSeq :+ id.name) ++ r.catalog.map(_.name) ++ ofType(r.schema)
    }
    (ofTable(command.target) ++ read.flatten).map(_.toLowerCase(Locale.ROOT)).distinct
  }

  private def ofTable(table: CatalogTable): Seq[String] = ofIdentifier(table.identifier) ++ ofType(table.schema)

  private def ofIdentifier(id: TableIdentifier): Seq[String] = id.catalog.toSeq ++ id.database :+ id.table

  private def ofType(t: DataType): Seq[String] = t match {
    case s: StructType          => s.flatMap(f => f.name +: ofType(f.dataType))
    case ArrayType(element, _)  => ofType(element)
    case MapType(key, value, _) => ofType(key) ++ ofType(value)
    case _                      => Nil
  }
}
