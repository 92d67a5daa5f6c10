package hiveacid.catalog

import java.util

import hiveacid.errors.{AcidException, Refusal}

import org.apache.spark.sql.connector.catalog.{Column, Identifier, Table, TableCatalog, TableChange}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

/** A catalog whose tables are made by commands of this package, and altered by the metastore's own engines: what Spark
  * itself asks of it is refused.
  */
trait FixedTables extends TableCatalog {
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
  override def renameTable(from: Identifier, to: Identifier): Unit = refuse("RENAME TABLE", from)

  /** Refuses what such a catalog does not do. */
  def refuse(operation: String, id: Identifier): Nothing = refuse(operation, id.namespace :+ id.name)

  protected def refuse(operation: String, parts: Array[String]): Nothing = throw AcidException.unsupported(
    operation,
    (name +: parts).mkString("."),
    Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG", Map("catalog" -> name))
  )
}
