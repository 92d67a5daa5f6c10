package hiveacid.python

/** The planner of a catalog that has a metastore of its own. It also tells what there is in it. */
trait CatalogPlanner extends Planner {

  /** Names of the databases. */
  def databases(): Object

  /** The DescribedDatabase of that name; null if there is none. */
  def database(name: String): Object

  /** Names of the tables and views of a database. */
  def tables(database: String): Object

  /** The DescribedTable `database.table`; null if there is none. */
  def table(name: String): Object
}
