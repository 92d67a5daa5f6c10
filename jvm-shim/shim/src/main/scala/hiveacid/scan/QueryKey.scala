package hiveacid.scan

import org.apache.spark.sql.catalyst.TableIdentifier

/** A query that is planned and executed. `number`, which is negative, is the key of its snapshot outside of executions.
  *
  * The plan refers to it, and so does each file that is to be read, and with them every RDD that reads them. So the
  * snapshot is needed for as long as this object can be reached, of which only the number goes to executors.
  */
final class QueryKey(val number: Long) extends Serializable {

  /** The snapshot that its scans read, within executions too. */
  @transient val snapshot = new SnapshotChoice
  @transient @volatile private var met = Set.empty[TableIdentifier]

  /** The transactional tables of a catalog that are read anywhere in the query, as far as the optimizer has met them:
    * all of them are locked before the snapshot is taken.
    *
    * @param foreignCatalog
    *   the catalog's name, if it has a metastore of its own
    */
  def tablesOf(foreignCatalog: Option[String]): Set[String] =
    met.filter(_.catalog == foreignCatalog).map(_.copy(catalog = None).unquotedString)
  def meet(tables: Iterable[TableIdentifier]): Unit = synchronized(met ++= tables)

  override def equals(other: Any): Boolean = other match {
    case k: QueryKey => k.number == number
    case _           => false
  }
  override def hashCode(): Int = number.hashCode
}
