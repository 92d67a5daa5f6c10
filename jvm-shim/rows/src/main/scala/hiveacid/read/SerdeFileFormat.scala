package hiveacid.read

import hiveacid.formats.TransactionalFileFormat

/** Stands for files that Hive's SerDes read: a relation with it is planned by [[PlanSerdeScans]] and by nobody else. */
class SerdeFileFormat(val table: String) extends TransactionalFileFormat {
  override def toString: String = "HiveSerde"
  override protected def readerKey: Any = table
}
