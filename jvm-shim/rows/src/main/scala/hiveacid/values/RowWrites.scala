package hiveacid.values

/** The content of a row-change query.
  *
  * @param changes
  *   the values of `__change` that may occur
  * @param statements
  *   how many statement IDs a piece needs
  */
sealed abstract class RowWrites(val name: String, changes: Seq[Byte], val statements: Int) extends Serializable {
  private val mask = changes.map(1 << _).sum

  def allows(change: Byte): Boolean = change >= 0 && change < Change.all.length && (mask >> change & 1) == 1
}

case object InsertKind extends RowWrites("insert", Seq(Change.Insert), 1)

case object UpdateKind extends RowWrites("update", Seq(Change.Update), 2)

case object DeleteKind extends RowWrites("delete", Seq(Change.Delete), 1)

/** Deletes, new versions and new rows, each under a statement ID of its own. */
case object MixedKind extends RowWrites("mixed", Change.all, 3)

object RowWrites {
  val all: Seq[RowWrites] = Seq(InsertKind, UpdateKind, DeleteKind, MixedKind)
}
