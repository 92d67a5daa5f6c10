package hiveacid.plugins

import org.apache.spark.sql.catalyst.TableIdentifier

/** A statement of this package as other extensions and listeners see it: a node of Spark's plans with this trait.
  *
  * It is the face for those who ask who may do what, and for those who keep where rows came from. Names and meaning of
  * its members stay. So does what the nodes show as their children, or as `innerChildren` once they are analysed: the
  * query of a statement that has one, the statement of Spark's own that one of ours runs under locks, and the
  * statements that one of ours runs together.
  */
trait TableStatement {

  /** The kind of statement, as `INSERT`, `UPDATE` or `ALTER TABLE`. */
  def statementKind: String

  /** The tables that it changes or, if it changes none, that it is about. */
  def targets: Seq[TableIdentifier]

  /** The tables that it reads, transactional or not, each once; views are those of their tables. The target is one of
    * them only if the statement reads it besides, as `INSERT INTO t SELECT … FROM t` does.
    */
  def sources: Seq[TableIdentifier]
}

object TableStatement {

  /** The alias right above the target in the query of a statement that changes rows. An extension that masks columns or
    * filters rows leaves the relation below it as it is: the statement is refused otherwise.
    */
  val TargetName = "__target"
}
