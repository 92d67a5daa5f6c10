package hiveacid.search

import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** Subjects as the types of a key spell them, so that `007` is `7` in an INT column.
  *
  * Everything is computed here in the driver: no plan, job or SQL text ever holds a subject.
  */
final case class SubjectSpelling(stored: StoredRows, table: CatalogTable, parts: Seq[String]) {
  private val conf = stored.session.sessionState.conf
  private val spelling = ValueSpelling(conf.sessionLocalTimeZone, conf.ansiEnabled)
  private val types = KeyTypes(stored, table, parts).types

  /** The texts as `CAST(part AS STRING)` shows them; None for a subject that is no value of the types. */
  def spell(subject: Seq[String]): Option[Seq[String]] = {
    val spelled = subject.zip(types).map { case (text, t) => spelling.spell(text, t) }
    if (spelled.length == types.length && spelled.forall(_.isDefined)) Some(spelled.flatten) else None
  }
}
