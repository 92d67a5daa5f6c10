package hiveacid.python

/** What Python implements (through py4j). Every text is JSON; a method returns a String, or a Throwable to be thrown
  * here: raising through py4j would lose the error's type and text.
  */
trait Planner {

  /** CanonicalStatement statement and the target's partition columns to row-change query, which is SQL text. */
  def rewrite(request: String): Object

  /** A text in Hive's spelling as Spark's parser takes it, but for lists of columns, as JSON; null if it is none. */
  def respelling(text: String): Object

  /** The DEFAULT of the columns of `database.table` that have one, as a JSON object of expressions by column. */
  def columnDefaults(table: String): Object

  /** The statement behind EXPLAIN ACID as JSON, `text` and `formatted`; null if the text does not begin so. */
  def explainedStatement(text: String): Object

  /** A statement about transactions, locks or compactions as JSON; null if the text does not begin like one. */
  def operatorStatement(text: String): Object

  /** Runs such a statement: its rows, each a JSON array of the values of its columns. */
  def operate(request: String): Object

  /** Where the new transactional table `database.table` must lie, as a JSON text; null for where Spark would put it. */
  def newTableLocation(table: String): Object

  /** Names of a table's partitions, as a JSON array. */
  def partitionNames(request: String): Object

  /** The scan plan of one table in the snapshot of a statement or of a read execution. */
  def scan(request: String): Object

  /** Runs a statement in a transaction; `call` is the key for `JvmApi.write`. Returns its result row. */
  def execute(request: String, call: String): Object

  /** What a statement would do, as JSON: `facts`, pairs of texts, and `json`, a text for programs. */
  def dryRun(request: String, call: String): Object

  /** Runs statements, a JSON array, in one transaction; `calls` has their keys. Returns one result row. */
  def executeTogether(requests: String, calls: String): Object

  /** Runs a statement of Spark's own under the locks it needs; `call` is the key for `JvmApi.alter`. */
  def alter(request: String, call: String): Object

  /** The identity of the table `database.table`, which has just been made, as a JSON text. */
  def createdTable(table: String): Object

  /** Drops a table that a failed statement has made, if it is nobody else's by now; `call` is the key for
    * `JvmApi.alter`.
    */
  def takeBack(request: String, call: String): Object

  /** A root execution has ended; its read transaction can end too. */
  def endExecution(executionId: Long): Object
}
