package hiveacid.commands

import scala.util.control.NonFatal

import hiveacid.scan.AcidRelation
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftAnti, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A part of a MERGE's ON that is an equality between the target's partition columns and the source.
  *
  * @param isNullSafe
  *   `<=>`, by which NULL equals NULL
  */
final case class KeyPair(target: Expression, source: Expression, isNullSafe: Boolean)

/** The source's values for those parts: the target's partitions are pruned by them, and the source must not have others
  * when it is read again.
  */
final case class SourcePruning(pairs: Seq[KeyPair], keys: Set[Seq[Any]]) {

  /** The same row-change query, bound to a snapshot or not, without the partitions that no source row can match. */
  def prune(changes: LogicalPlan): LogicalPlan = SourcePruning.sides(changes).fold(changes) { sides =>
    changes.transform {
      case s: SubqueryAlias if s eq sides.target =>
        s.copy(child = Filter(AmongKeys(pairs.map(_.target), this), s.child))
      case s: SubqueryAlias if s eq sides.source =>
        s.copy(child = Filter(ExpectedKeys(pairs.map(p => SourcePruning.tried(p.source)), this), s.child))
    }
  }

  /** False for values that equal nothing. */
  def canMatch(values: Seq[Any]): Boolean =
    pairs.indices.forall(i => values(i) != null || pairs(i).isNullSafe)
}

/** A MERGE whose ON says in which partitions the rows are reads these only. Where rows that no source row matches are
  * left alone, rows of partitions that match no source row do not matter.
  */
object SourcePruning {

  /** How large a source may be, by Spark's estimate, to be asked for its values; 0 for none. */
  val MaxSourceBytesKey = "spark.hiveacid.merge.pruningMaxSourceBytes"
  private val MaxSourceBytes = 1L << 30
  private val MaxKeys = 10000

  /** The aliases of both sides of a MERGE's join. */
  final private case class Sides(
      target: SubqueryAlias,
      relation: LogicalRelation,
      source: SubqueryAlias,
      on: Expression
  )

  /** Asks the source for its values; None if the partitions cannot be pruned by them, or it would not pay.
    *
    * @param changes
    *   the row-change query of the command, bound to a snapshot
    */
  def find(session: SparkSession, command: AcidWriteCommand, changes: LogicalPlan): Option[SourcePruning] = for {
    sides <- if (command.kind.traits.hasSource && command.target.partitionColumnNames.nonEmpty) sides(changes) else None
    pairs = splitConjuncts(sides.on).flatMap(pair(sides, _))
    if pairs.nonEmpty && isRepeatable(sides.source)
    keys <- values(session, sides.source, pairs)
    pruning = SourcePruning(pairs, Set.empty)
  } yield pruning.copy(keys = keys.filter(pruning.canMatch).toSet)

  /** The condition of a join in which rows of the target that match nothing do not count. */
  private def sides(changes: LogicalPlan): Option[Sides] = changes.collectFirst {
    case Join(left, right, kind, Some(on), _) =>
      kind match {
        case Inner | RightOuter | LeftSemi => sides(left, right, on)
        case LeftAnti                      => sides(right, left, on)
        case _                             => None
      }
  }.flatten

  private def sides(target: LogicalPlan, source: LogicalPlan, on: Expression): Option[Sides] = for {
    t <- alias(target, RowChangeQuery.Target)
    s <- alias(source, RowChangeQuery.Source)
    relation <- AcidRelation.Target.unapply(t.child)
  } yield Sides(t, relation, s, on)

  private def alias(plan: LogicalPlan, name: String): Option[SubqueryAlias] =
    plan.collectFirst { case s: SubqueryAlias if s.alias == name => s }

  private def splitConjuncts(e: Expression): Seq[Expression] = e match {
    case And(left, right) => splitConjuncts(left) ++ splitConjuncts(right)
    case other            => Seq(other)
  }

  private def pair(sides: Sides, conjunct: Expression): Option[KeyPair] = {
    val keys =
      sides.relation.output.filter(a => sides.relation.catalogTable.exists(_.partitionColumnNames.contains(a.name)))
    val columns = AttributeSet(
      keys.filterNot(a => CharVarcharUtils.getRawType(a.metadata).exists(_.isInstanceOf[CharType]))
    )
    def of(e: Expression, columns: AttributeSet) =
      e.references.nonEmpty && e.references.subsetOf(columns) && isEvaluable(e)
    def paired(a: Expression, b: Expression, isNullSafe: Boolean) = {
      val (left, right) = (replaced(a), replaced(b))
      val source = sides.source.outputSet
      if (left.dataType != right.dataType || !isHashed(left.dataType)) None
      else if (of(left, columns) && of(right, source)) Some(KeyPair(left, right, isNullSafe))
      else if (of(right, columns) && of(left, source)) Some(KeyPair(right, left, isNullSafe))
      else None
    }
    conjunct match {
      case EqualTo(a, b)       => paired(a, b, isNullSafe = false)
      case EqualNullSafe(a, b) => paired(a, b, isNullSafe = true)
      case _                   => None
    }
  }

  /** Functions that Spark replaces by others where it optimizes a plan. */
  private def replaced(e: Expression): Expression = e.transformUp { case r: RuntimeReplaceable => r.replacement }

  private def isEvaluable(e: Expression) = e.deterministic && !e.exists {
    case _: Attribute => false
    case other        => other.isInstanceOf[Unevaluable]
  }

  /** Values of these types are equal for Spark if they are for the JVM. */
  private def isHashed(t: DataType): Boolean = t match {
    case s: StringType                                             => s == StringType
    case ByteType | ShortType | IntegerType | LongType             => true
    case BooleanType | DateType | TimestampType | TimestampNTZType => true
    case _: DecimalType                                            => true
    case _                                                         => false
  }

  private def isRepeatable(source: LogicalPlan) = !source.exists(_.expressions.exists(!_.deterministic))

  /** The source's distinct values; None if there are too many, or the source is too large. */
  private def values(session: SparkSession, source: LogicalPlan, pairs: Seq[KeyPair]): Option[Seq[Seq[Any]]] = {
    val columns = pairs.zipWithIndex.map { case (p, i) => Alias(tried(p.source), s"key$i")() }
    val limit = session.conf.get(MaxSourceBytesKey, MaxSourceBytes.toString).toLong
    if (limit == 0 || isLarger(session, Project(columns, source), limit)) None
    else {
      val query = Limit(Literal(MaxKeys + 1), Distinct(Project(columns, source)))
      val execution = session.sessionState.executePlan(query)
      val rows = SQLExecution.withNewExecutionId(execution, Some("HiveAcid partitions of the source")) {
        execution.executedPlan.executeCollect()
      }
      if (rows.length > MaxKeys) None else Some(rows.toSeq.map(row => pairs.indices.map(i => value(row, i, pairs(i)))))
    }
  }

  /** False also if nobody knows how large the tables are that the query reads. */
  private def isLarger(session: SparkSession, query: LogicalPlan, bytes: Long): Boolean = {
    val optimized = session.sessionState.executePlan(query).optimizedPlan
    val unknown = session.sessionState.conf.defaultSizeInBytes
    optimized.stats.sizeInBytes > bytes && !optimized.collectLeaves().exists(_.stats.sizeInBytes >= unknown)
  }

  private def value(row: InternalRow, i: Int, pair: KeyPair): Any = row.get(i, pair.source.dataType) match {
    case text: UTF8String => text.clone()
    case other            => other
  }

  /** An error of the source's own belongs to the MERGE, if that evaluates the value at all. */
  private[hiveacid] def tried(e: Expression): Expression = e match {
    case a: Attribute => a
    case other        => TryEval(other)
  }
}

/** True for a partition that a row of the source can match. */
case class AmongKeys(children: Seq[Expression], pruning: SourcePruning) extends Predicate with codegen.CodegenFallback {
  override def nullable: Boolean = false

  override def eval(row: InternalRow): Any =
    try {
      val values = children.map(_.eval(row))
      pruning.canMatch(values) && pruning.keys.contains(values)
    } catch { case NonFatal(_) => true } // the MERGE fails, if it evaluates this at all

  override def toString: String = s"${children.mkString("(", ", ", ")")} among ${pruning.keys.size} of the source"
  override def sql: String = toString
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): AmongKeys =
    copy(children = newChildren)
}

/** True for a row of the source with values that it had before; another one ends the statement's attempt. */
case class ExpectedKeys(children: Seq[Expression], pruning: SourcePruning)
    extends Predicate
    with codegen.CodegenFallback {
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  /** Or the optimizer might ask it of other rows, or of none. */
  override lazy val deterministic: Boolean = false

  override def eval(row: InternalRow): Any = {
    val values = children.map(_.eval(row))
    if (pruning.canMatch(values) && !pruning.keys.contains(values)) throw new SourceChangedException
    true
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): ExpectedKeys =
    copy(children = newChildren)
}
