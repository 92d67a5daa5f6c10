package hiveacid.python

/** The methods that Python implements (through py4j). Texts are messages of `hiveacid.wire` unless it is said
  * otherwise; a method returns a String, or a Throwable to be thrown here: raising through py4j would lose the error's
  * type and text.
  */
trait PythonApi {

  /** RewriteRequest: a canonical statement. Returns a RewrittenStatement. */
  def rewrite(request: String): Object

  /** A plain text, perhaps in Hive's spelling. Returns a Respelling; null if there is nothing of Hive's in it. */
  def respelling(text: String): Object

  /** The Columns of `database.table`, those of its partitions last. */
  def columns(table: String): Object

  /** The names of all partitions of `database.table`. */
  def currentPartitions(table: String): Object

  /** The DEFAULT of the columns of `database.table` that have one: expressions by column. */
  def columnDefaults(table: String): Object

  /** The ExplainedStatement behind EXPLAIN ACID; null if the plain text does not begin so. */
  def explainedStatement(text: String): Object

  /** The OperatorStatement in a plain text; null if the text does not begin like one. */
  def operatorStatement(text: String): Object

  /** The Translation of a plain text that Spark's parser has refused; null if no statement of Spark says the same. */
  def translation(text: String): Object

  /** The PartitionDrop in a plain text that Spark's parser has refused; null if there is none. */
  def partitionDrop(text: String): Object

  /** The Hint of a plain text that Spark's parser has refused; null if no other engine is known to take it. */
  def hint(text: String): Object

  /** OperatorRequest: runs such a statement. Returns an OperatorAnswer. */
  def operate(request: String): Object

  /** OtherCommand: an error for a command that a transaction of several statements does not admit. */
  def admit(command: String): Object

  /** The session of the transaction with this token, begun by a statement, has ended; so does the transaction. */
  def abandon(token: String): Object

  /** TableQuestion: how much is to be read of a table. Returns a TableContent, for Python alone. */
  def tableContent(question: String): Object

  /** TableQuestion: who wrote what into a table. Returns HistoryEntries, for Python alone. */
  def tableHistory(question: String): Object

  /** NewTable: where it must lie, a text; null for where Spark puts it. An error if it cannot be. */
  def newTable(request: String): Object

  /** ReadRequest: the names of a table's partitions. */
  def partitionNames(request: String): Object

  /** ScanRequest: the TableScan of one table in the snapshot of a statement or of a read execution. */
  def scan(request: String): Object

  /** Statement: runs a statement in a transaction; `call` is the key for `JvmApi.write`. Returns a StatementAnswer. */
  def execute(request: String, call: String): Object

  /** Statement: what a statement would do. Returns a DryRunAnswer. */
  def dryRun(request: String, call: String): Object

  /** Statements, run in one transaction; `calls` has their keys. Returns a StatementAnswer. */
  def executeTogether(requests: String, calls: String): Object

  /** DdlStatement: runs a statement of Spark's own under the locks it needs; `call` is the key for `JvmApi.alter`. */
  def alter(request: String, call: String): Object

  /** DdlStatement: adds columns for a statement that is about to run; `call` is the key for `JvmApi.alter`. Returns
    * AddedColumns.
    */
  def addColumns(request: String, call: String): Object

  /** AddedColumns: removes them, because the statement has failed, if nobody has written to the table since. */
  def takeColumnsBack(request: String, call: String): Object

  /** The identity of the table `database.table`, which has just been made, a text. */
  def createdTable(table: String): Object

  /** CreatedTable: drops a table that a failed statement has made, if it is nobody else's by now; `call` is the key for
    * `JvmApi.alter`.
    */
  def takeBack(request: String, call: String): Object

  /** CatalogRequest: the PythonCatalogApi of a catalog that has a metastore of its own. */
  def ofCatalog(request: String): Object

  /** Ends the calls whose jobs have this tag, as cancelled for this reason; a plain text. */
  def cancel(tag: String, reason: String): Object

  /** A root execution has ended; its read transaction can end too. */
  def endExecution(executionId: Long): Object
}
