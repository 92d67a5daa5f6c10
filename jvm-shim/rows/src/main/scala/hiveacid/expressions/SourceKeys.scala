package hiveacid.expressions

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** A part of a MERGE's ON that is an equality between columns of the target and the source.
  *
  * @param isNullSafe
  *   `<=>`, by which NULL equals NULL
  * @param isPartition
  *   whether the target's columns are partition columns; otherwise it is one column of its rows
  */
final case class KeyPair(target: Expression, source: Expression, isNullSafe: Boolean, isPartition: Boolean) {

  /** The source's value. An error of the source's own belongs to the MERGE, if that evaluates the value at all. */
  def tried: Expression = source match {
    case a: Attribute => a
    case other        => TryEval(other)
  }
}

/** Knowledge of the source's values: other rows of the target need not be read, and the source must not have others
  * when it is read again.
  */
trait KnownSource {

  /** True for a row of the target that a row of the source can match. */
  def mayMatch: Expression

  /** True for a row of the source with values that it had before; another one ends the statement's attempt. */
  def isKnown: Expression
}

/** All values of some parts. */
final case class SourceKeys(pairs: Seq[KeyPair], keys: Set[Seq[Any]]) extends KnownSource {
  override def mayMatch: Expression = {
    val (partitions, columns) = pairs.indices.partition(i => pairs(i).isPartition)
    val among = if (partitions.isEmpty) None else Some(AmongKeys(partitions.map(pairs(_).target), only(partitions)))
    (among ++ columns.map(matching)).reduce(And)
  }

  override def isKnown: Expression = ExpectedKeys(pairs.map(_.tried), this)

  private def only(indices: Seq[Int]) = SourceKeys(indices.map(pairs), keys.map(values => indices.map(values)))

  /** A filter of one column, in a form that scans skip files and row groups by. */
  private def matching(i: Int): Expression = {
    val column = pairs(i).target
    val (nulls, values) = keys.map(_(i)).partition(_ == null)
    val in = if (values.isEmpty) Literal.FalseLiteral else In(column, values.toSeq.map(Literal(_, column.dataType)))
    if (nulls.isEmpty) in else Or(IsNull(column), in)
  }

  /** False for values that equal nothing. */
  def canMatch(values: Seq[Any]): Boolean =
    pairs.indices.forall(i => values(i) != null || pairs(i).isNullSafe)
}

/** True for a partition that a row of the source can match. */
case class AmongKeys(children: Seq[Expression], source: SourceKeys) extends Predicate with codegen.CodegenFallback {
  override def nullable: Boolean = false

  override def eval(row: InternalRow): Any =
    try {
      val values = children.map(_.eval(row))
      source.canMatch(values) && source.keys.contains(values)
    } catch { case NonFatal(_) => true } // the MERGE fails, if it evaluates this at all

  override def toString: String = s"${children.mkString("(", ", ", ")")} among ${source.keys.size} of the source"
  override def sql: String = toString
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): AmongKeys =
    copy(children = newChildren)
}

/** True for a row of the source with values that it had before; another one ends the statement's attempt. */
case class ExpectedKeys(children: Seq[Expression], source: SourceKeys) extends Predicate with codegen.CodegenFallback {
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  /** Or the optimizer might ask it of other rows, or of none. */
  override lazy val deterministic: Boolean = false

  override def eval(row: InternalRow): Any = {
    val values = children.map(_.eval(row))
    if (source.canMatch(values) && !source.keys.contains(values)) throw new SourceChangedException
    true
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): ExpectedKeys =
    copy(children = newChildren)
}
