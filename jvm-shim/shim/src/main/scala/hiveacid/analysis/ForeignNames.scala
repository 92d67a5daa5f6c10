package hiveacid.analysis

import hiveacid.catalog.MetastoreCatalog

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedNamespace, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier

/** Names in catalogs with metastores of their own, as Spark has resolved them. */
object ForeignNames {

  /** A name of a table or view that need not be there. */
  object Foreign {
    def unapply(name: LogicalPlan): Option[(MetastoreCatalog, Identifier)] = name match {
      case ResolvedIdentifier(catalog: MetastoreCatalog, id) if id.namespace.length == 1 => Some((catalog, id))
      case _                                                                             => None
    }
  }

  /** A table that is there. */
  object ForeignTable {
    def unapply(table: LogicalPlan): Option[(MetastoreCatalog, Identifier)] = table match {
      case ResolvedTable(catalog: MetastoreCatalog, id, _, _) => Some((catalog, id))
      case _                                                  => None
    }
  }

  /** A database, as a name without a namespace. */
  object ForeignDatabase {
    def unapply(name: LogicalPlan): Option[(MetastoreCatalog, Identifier)] = name match {
      case n: ResolvedNamespace =>
        Some(n.catalog).collect { case own: MetastoreCatalog =>
          (own, Identifier.of(Array.empty, n.namespace.mkString(".")))
        }
      case _ => None
    }
  }

  /** The name with its catalog. */
  def name(catalog: MetastoreCatalog, id: Identifier): String = (catalog.name +: id.namespace :+ id.name).mkString(".")
}
