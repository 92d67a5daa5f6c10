package hiveacid.formats.orc

import hiveacid.formats.ValueUse

import org.apache.spark.sql.types.StructType

/** Reads the ORC files of an insert-only table, which hold the table's columns alone, with the same values as in a full
  * ACID table.
  */
class FlatOrcFileFormat(
    val table: String,
    val timeZone: String,
    val columns: StructType,
    val use: ValueUse = ValueUse.Shown
) extends TableOrcFileFormat(isFlat = true) {
  override def usedFor(use: ValueUse): FlatOrcFileFormat = new FlatOrcFileFormat(table, timeZone, columns, use)
  override def toString: String = "HiveORC"
  override def shortName(): String = "hive-insert-only-orc"
  override protected def readerKey: Any = (table, timeZone, columns, use)
}
