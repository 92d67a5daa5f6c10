package hiveacid.python

/** The API of a catalog that has a metastore of its own. It also tells what there is in it, and makes and drops tables
  * and databases.
  */
trait PythonCatalogApi extends PythonApi {

  /** Names of the databases. */
  def databases(): Object

  /** The DescribedDatabase of that name; null if there is none. */
  def database(name: String): Object

  /** Names of the tables and views of a database. */
  def tables(database: String): Object

  /** The DescribedTable `database.table`; null if there is none. */
  def table(name: String): Object

  /** Names of the partitions of `database.table`. */
  def partitions(name: String): Object

  /** DescribedTable: makes it; without a location it lies where the metastore puts it, and its owner is the user. */
  def createTable(request: String): Object

  /** DropTableRequest: drops it, under its locks. */
  def dropTable(request: String): Object

  /** DescribedDatabase: makes it. */
  def createDatabase(request: String): Object

  /** DropDatabaseRequest: drops it, under the locks of its tables. */
  def dropDatabase(request: String): Object
}
