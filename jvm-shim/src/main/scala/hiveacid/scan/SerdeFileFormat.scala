package hiveacid.scan

import hiveacid.formats.TransactionalFileFormat

/** Stands for files that Hive's SerDes read: a relation with it is planned by [[PlanSerdeScans]] and by nobody else. */
class SerdeFileFormat(val table: String) extends TransactionalFileFormat {
  override def toString: String = "HiveSerde"
  override def hashCode(): Int = table.hashCode
  override def equals(other: Any): Boolean = other match {
    case f: SerdeFileFormat => f.table == table
    case _                  => false
  }
}
