package hiveacid.analysis

import java.util.Locale

import hiveacid.wire.KindTable

/** An option of a DataFrame's writer or reader: a row of `table_options.json`. A write or read honours it, ignores it
  * because it does not say which rows are meant, or is refused.
  *
  * @param meaning
  *   for the reference
  */
final case class TableOption(writes: String, reads: String, meaning: String)

object TableOption {
  private val refused = TableOption("refused", "refused", "")

  private lazy val table: Map[String, TableOption] =
    KindTable.load[TableOption]("table_options.json").map { case (name, option) => key(name) -> option }

  /** The option of that name, in any case. One that is not in the table is refused: it may be a misspelling of one that
    * would have kept rows.
    */
  def of(name: String): TableOption = table.getOrElse(key(name), refused)

  private def key(name: String) = name.toLowerCase(Locale.ROOT)
}
