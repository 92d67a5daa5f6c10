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

/** A part of a MERGE's ON that is an equality between columns of the target and the source.
  *
  * @param isNullSafe
  *   `<=>`, by which NULL equals NULL
  * @param isPartition
  *   whether the target's columns are partition columns; otherwise it is one column of its rows
  */
final case class KeyPair(target: Expression, source: Expression, isNullSafe: Boolean, isPartition: Boolean)

/** The source's values for those parts: the target's partitions and rows are pruned by them, and the source must not
  * have others when it is read again.
  */
final case class SourcePruning(pairs: Seq[KeyPair], keys: Set[Seq[Any]]) {

  /** The same row-change query, bound to a snapshot or not, without the partitions and rows that no source row can
    * match.
    */
  def prune(changes: LogicalPlan): LogicalPlan = SourcePruning.sides(changes).fold(changes) { sides =>
    changes.transform {
      case s: SubqueryAlias if s eq sides.target => s.copy(child = Filter(condition, s.child))
      case s: SubqueryAlias if s eq sides.source =>
        s.copy(child = Filter(ExpectedKeys(pairs.map(p => SourcePruning.tried(p.source)), this), s.child))
    }
  }

  private def condition: Expression = {
    val (partitions, columns) = pairs.indices.partition(i => pairs(i).isPartition)
    val among = if (partitions.isEmpty) None else Some(AmongKeys(partitions.map(pairs(_).target), only(partitions)))
    (among ++ columns.map(matching)).reduce(And)
  }

  private def only(indices: Seq[Int]) = SourcePruning(indices.map(pairs), keys.map(values => indices.map(values)))

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

/** A MERGE whose ON says in which partitions the rows are reads these only, and if its source is small, only the rows
  * that have its values. Where rows that no source row matches are left alone, they do not matter.
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

  /** Asks the source for its values; None if nothing can be pruned by them, or it would not pay.
    *
    * @param changes
    *   the row-change query of the command, bound to a snapshot
    */
  def find(session: SparkSession, command: AcidWriteCommand, changes: LogicalPlan): Option[SourcePruning] =
    Option(changes)
      .filter(_ => command.kind.traits.hasSource)
      .flatMap(sides)
      .filter(s => isRepeatable(s.source))
      .flatMap { sides =>
        val pairs = splitConjuncts(sides.on).flatMap(pair(sides, _))
        val ofPartitions = pairs.filter(_.isPartition)
        val ofSmall = if (isSmall(session, sides.source)) pairs else ofPartitions
        Seq(ofSmall, ofPartitions).distinct.filter(_.nonEmpty).view.flatMap(find(session, sides.source, _)).headOption
      }

  private def find(session: SparkSession, source: LogicalPlan, pairs: Seq[KeyPair]): Option[SourcePruning] =
    values(session, source, pairs).map { keys =>
      val pruning = SourcePruning(pairs, Set.empty)
      pruning.copy(keys = keys.filter(pruning.canMatch).toSet)
    }

  /** As small as what a join broadcasts: to read it once more costs little, whatever the target is. */
  private def isSmall(session: SparkSession, source: LogicalPlan): Boolean =
    session.sessionState.executePlan(source).optimizedPlan.stats.sizeInBytes <=
      session.sessionState.conf.autoBroadcastJoinThreshold

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
    val (keys, columns) = targetColumns(sides.relation)
    val source = sides.source.outputSet
    def ofPartition(e: Expression) = e.references.nonEmpty && e.references.subsetOf(keys) && isEvaluable(e)
    def ofColumn(e: Expression) = e match {
      case a: Attribute => columns.contains(a)
      case c: Cast      => // one that never fails
        c.child
          .isInstanceOf[Attribute] && c.references.subsetOf(columns) && Cast.canUpCast(c.child.dataType, c.dataType)
      case _ => false
    }
    def oriented(target: Expression, other: Expression, isNullSafe: Boolean) =
      if (!other.references.subsetOf(source) || other.references.isEmpty || !isEvaluable(other)) None
      else if (ofPartition(target)) Some(KeyPair(target, other, isNullSafe, isPartition = true))
      else if (ofColumn(target)) Some(KeyPair(target, other, isNullSafe, isPartition = false))
      else None
    def paired(a: Expression, b: Expression, isNullSafe: Boolean) = {
      val (left, right) = (replaced(a), replaced(b))
      if (left.dataType != right.dataType || !isHashed(left.dataType)) None
      else oriented(left, right, isNullSafe).orElse(oriented(right, left, isNullSafe))
    }
    conjunct match {
      case EqualTo(a, b)       => paired(a, b, isNullSafe = false)
      case EqualNullSafe(a, b) => paired(a, b, isNullSafe = true)
      case _                   => None
    }
  }

  /** The partition columns of the target, and its other ones; those of type CHAR are in neither. */
  private def targetColumns(relation: LogicalRelation): (AttributeSet, AttributeSet) = {
    val partitions = relation.catalogTable.fold(Seq.empty[String])(_.partitionColumnNames)
    val (keys, columns) = relation.output
      .filterNot(a => CharVarcharUtils.getRawType(a.metadata).exists(_.isInstanceOf[CharType]))
      .partition(a => partitions.contains(a.name))
    (AttributeSet(keys), AttributeSet(columns))
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

  /** The source's values; None if there are too many, or the source is too large. Values of rows are seldom alike, so
    * they are not made distinct first.
    */
  private def values(session: SparkSession, source: LogicalPlan, pairs: Seq[KeyPair]): Option[Seq[Seq[Any]]] = {
    val columns = pairs.zipWithIndex.map { case (p, i) => Alias(tried(p.source), s"key$i")() }
    val limit = session.conf.get(MaxSourceBytesKey, MaxSourceBytes.toString).toLong
    if (limit == 0 || isLarger(session, Project(columns, source), limit)) None
    else {
      val plain = Project(columns, source)
      val query = Limit(Literal(MaxKeys + 1), if (pairs.forall(_.isPartition)) Distinct(plain) else plain)
      val execution = session.sessionState.executePlan(query)
      val rows = SQLExecution.withNewExecutionId(execution, Some("HiveAcid keys of the source")) {
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
