package hiveacid.expressions

import java.io.ByteArrayInputStream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.util.sketch.BloomFilter

/** Hashes of the source's values, as a Bloom filter: for more values than can be held.
  *
  * A value that the source has is never missing in it. One that it lacks may seem to be there; then a row is read, and
  * matches nothing.
  */
final case class SourceHashes(pairs: Seq[KeyPair], filter: HashFilter) extends KnownSource {
  override def mayMatch: Expression = AmongHashes(SourceHashes.hash(pairs.map(_.target)), filter)
  override def isKnown: Expression = ExpectedHash(SourceHashes.hash(pairs.map(_.tried)), filter)
}

object SourceHashes {

  /** A filter of 1 MiB. With this many values it takes one of fifty others for one of them. */
  private val Values = 1000000L
  private val Bits = 8L << 20

  /** The query for the filter of a source. */
  def query(source: LogicalPlan, pairs: Seq[KeyPair]): LogicalPlan = {
    val hashes = new BloomFilterAggregate(hash(pairs.map(_.tried)), Literal(Values), Literal(Bits))
    Aggregate(Nil, Seq(Alias(hashes.toAggregateExpression(), "hashes")()), source)
  }

  /** Equal for equal values, and never NULL. */
  private def hash(values: Seq[Expression]): Expression = new XxHash64(values)
}

/** The serialised filter; null for a source without rows. Tasks hold it once each. */
final class HashFilter(bytes: Array[Byte]) extends Serializable {
  @transient private lazy val filter = Option(bytes).map(b => BloomFilter.readFrom(new ByteArrayInputStream(b)))

  def mightContain(hash: Long): Boolean = filter.exists(_.mightContainLong(hash))
}

/** True for a hash that the source can have. */
case class AmongHashes(child: Expression, filter: HashFilter) extends UnaryExpression with Predicate {
  override def nullable: Boolean = false
  override def eval(row: InternalRow): Any =
    filter.mightContain(child.eval(row).asInstanceOf[Long])

  override def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val known = ctx.addReferenceObj("hashes", filter)
    defineCodeGen(ctx, ev, hash => s"$known.mightContain($hash)")
  }

  override def toString: String = s"$child among those of the source"
  override def sql: String = toString
  override protected def withNewChildInternal(newChild: Expression): AmongHashes = copy(child = newChild)
}

/** True for a hash that the source had before; another one ends the statement's attempt. */
case class ExpectedHash(child: Expression, filter: HashFilter)
    extends UnaryExpression
    with Predicate
    with codegen.CodegenFallback {
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  /** Or the optimizer might ask it of other rows, or of none. */
  override lazy val deterministic: Boolean = false

  override def eval(row: InternalRow): Any = {
    if (!filter.mightContain(child.eval(row).asInstanceOf[Long])) throw new SourceChangedException
    true
  }

  override protected def withNewChildInternal(newChild: Expression): ExpectedHash = copy(child = newChild)
}
