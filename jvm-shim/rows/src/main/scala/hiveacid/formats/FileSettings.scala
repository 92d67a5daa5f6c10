package hiveacid.formats

/** How a file is written, the same for all files of a statement.
  *
  * @param rowType
  *   Hive's type text of the table's columns, `struct<id:int,name:char(5)>`
  * @param compression
  *   in the words of the format
  * @param discards
  *   true: there is no file; rows are taken, checked and counted
  * @param options
  *   further settings of ORC, by its own keys, that count instead of the session's
  * @param asHive3
  *   whether Hive 3.1 is to read the file, otherwise Hive 4, where the two differ
  */
final case class FileSettings(
    writeId: Long,
    rowType: String,
    compression: String,
    discards: Boolean = false,
    options: Map[String, String] = Map.empty,
    asHive3: Boolean = false
) {

  /** For a file of few rows. A reader makes room for whole buffers of each column, however little they hold; Hive
    * divides those of deltas by 8 as well (OrcRecordUpdater).
    */
  def ofFewRows: FileSettings = copy(options = options + ("orc.compress.size" -> "32768"))
}
