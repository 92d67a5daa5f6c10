package hiveacid.scan

/** The key of the snapshot of a query that runs outside of any execution; `number` is negative.
  *
  * The plan refers to it, and so does each file that is to be read, and with them every RDD that reads them. So the
  * snapshot is needed for as long as this object can be reached, of which only the number goes to executors.
  */
final class QueryKey(val number: Long) extends Serializable {
  @transient @volatile private var met = Set.empty[String]

  /** The transactional tables that are read anywhere in the query, as far as the optimizer has met them: all of them
    * are locked before the snapshot is taken.
    */
  def tables: Set[String] = met
  def meet(tables: Iterable[String]): Unit = synchronized(met ++= tables)

  override def equals(other: Any): Boolean = other match {
    case k: QueryKey => k.number == number
    case _           => false
  }
  override def hashCode(): Int = number.hashCode
}
