package hiveacid.commands

import hiveacid.wire.ColumnChange

import org.apache.spark.sql.{Row, SparkSession => ApiSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StructType}

/** Gives a column of a table of Hive another name or type, for which Spark has no command. Whether it may is Python's
  * decision, under the lock of the [[AcidDdlCommand]] around it.
  */
case class ChangeColumnCommand(
    table: TableIdentifier,
    column: String,
    newName: Option[String],
    newType: Option[DataType],
    newComment: Option[String]
) extends LeafRunnableCommand {
  def change: ColumnChange = ColumnChange(column, newName, newType.map(_.catalogString))

  override def run(api: ApiSession): Seq[Row] = {
    val catalog = api.asInstanceOf[SparkSession].sessionState.catalog
    val stored = catalog.getTableRawMetadata(table)
    val changed = stored.dataSchema.map { field =>
      if (!field.name.equalsIgnoreCase(column)) field
      else {
        val named = field.copy(name = newName.getOrElse(field.name))
        val typed = newType.fold(named)(dataType => named.copy(dataType = dataType, metadata = untyped(field.metadata)))
        newComment.fold(typed)(typed.withComment)
      }
    }
    // the session's own method takes no names away
    catalog.externalCatalog.alterTableDataSchema(stored.database, stored.identifier.table, StructType(changed))
    catalog.refreshTable(table)
    Nil
  }

  /** Without the type of a CHAR or VARCHAR, which Spark keeps there. */
  private def untyped(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(ChangeColumnCommand.TypeKey).build()
}

object ChangeColumnCommand {
  private val TypeKey = "__CHAR_VARCHAR_TYPE_STRING" // CharVarcharUtils.CHAR_VARCHAR_TYPE_STRING_METADATA_KEY
}
