package hiveacid.commands

import hiveacid.expressions.{HashFilter, KeyPair, KnownSource, SourceHashes, SourceKeys}
import hiveacid.scan.{AcidRelation, AcidScan}
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

/** The knowledge that a MERGE has of its source before it reads its target. */
final case class SourcePruning(known: Seq[KnownSource]) {

  /** The same row-change query, bound to a snapshot or not, without the partitions and rows that no source row can
    * match.
    */
  def prune(changes: LogicalPlan): LogicalPlan = SourcePruning.sides(changes).fold(changes) { sides =>
    changes.transform {
      case s: SubqueryAlias if s eq sides.target =>
        s.copy(child = Filter(known.map(_.mayMatch).reduce(And), s.child))
      case s: SubqueryAlias if s eq sides.source =>
        s.copy(child = Filter(known.map(_.isKnown).reduce(And), s.child))
    }
  }
}

/** A MERGE whose ON says in which partitions the rows are reads these only. If its source can be read once more at
  * little cost, it reads only the rows that have the source's values, too. Where rows that no source row matches are
  * left alone, they do not matter.
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
      .map { sides =>
        val pairs = splitConjuncts(sides.on).flatMap(pair(sides, _))
        val ofPartitions = pairs.filter(_.isPartition)
        val isCheap = pairs.exists(!_.isPartition) && isCheaplyRead(session, sides)
        val exact = Seq(if (isCheap) pairs else ofPartitions, ofPartitions).distinct
          .filter(_.nonEmpty)
          .view
          .flatMap(exactly(session, sides.source, _))
          .headOption
        val ofRows = if (isCheap && !exact.exists(_.pairs == pairs)) hashes(session, sides.source, pairs) else None
        SourcePruning(exact.toSeq ++ ofRows)
      }
      .filter(_.known.nonEmpty)

  private def exactly(session: SparkSession, source: LogicalPlan, pairs: Seq[KeyPair]): Option[SourceKeys] =
    values(session, source, pairs).map { keys =>
      val all = SourceKeys(pairs, Set.empty)
      all.copy(keys = keys.filter(all.canMatch).toSet)
    }

  private def hashes(session: SparkSession, source: LogicalPlan, pairs: Seq[KeyPair]): Option[SourceHashes] =
    if (isTooLarge(session, Project(pairs.map(p => Alias(p.tried, "key")()), source))) None
    else {
      val row = collect(session, SourceHashes.query(source, pairs)).head
      Some(SourceHashes(pairs, new HashFilter(if (row.isNullAt(0)) null else row.getBinary(0))))
    }

  /** Whether reading the source once more costs little beside what it saves: it is as small as what a join broadcasts,
    * or it is read as it lies, without a shuffle, and the target has more bytes.
    */
  private def isCheaplyRead(session: SparkSession, sides: Sides): Boolean = {
    val bytes = session.sessionState.executePlan(sides.source).optimizedPlan.stats.sizeInBytes
    bytes <= session.sessionState.conf.autoBroadcastJoinThreshold ||
    (isReadAsItLies(sides.source) && bytes < targetBytes(sides.relation))
  }

  private def isReadAsItLies(source: LogicalPlan): Boolean = !source.exists {
    case _: Project | _: Filter | _: Union | _: SubqueryAlias | _: View | _: LeafNode => false
    case _                                                                            => true
  } && !source.exists(_.expressions.exists(_.exists {
    case _: SubqueryExpression | _: PythonUDF => true
    case _                                    => false
  }))

  private def targetBytes(relation: LogicalRelation): BigInt = relation match {
    case AcidScan(_, _, index) => index.list(Nil).flatMap(_._2.files).map(file => BigInt(file.getLen)).sum
    case _                     => 0
  }

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
    relation <- AcidRelation.named(t.child)
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
    val plain = Project(pairs.zipWithIndex.map { case (p, i) => Alias(p.tried, s"key$i")() }, source)
    if (isTooLarge(session, plain)) None
    else {
      val wanted = if (pairs.forall(_.isPartition)) Distinct(plain) else plain
      val rows = collect(session, Limit(Literal(MaxKeys + 1), wanted))
      if (rows.length > MaxKeys) None else Some(rows.toSeq.map(row => pairs.indices.map(i => value(row, i, pairs(i)))))
    }
  }

  private def collect(session: SparkSession, query: LogicalPlan): Array[InternalRow] = {
    val execution = session.sessionState.executePlan(query)
    SQLExecution.withNewExecutionId(execution, Some("HiveAcid keys of the source")) {
      execution.executedPlan.executeCollect()
    }
  }

  /** Whether the query must not be run beforehand. False also if nobody knows how large the tables are that it reads.
    */
  private def isTooLarge(session: SparkSession, query: LogicalPlan): Boolean = {
    val limit = session.conf.get(MaxSourceBytesKey, MaxSourceBytes.toString).toLong
    val optimized = session.sessionState.executePlan(query).optimizedPlan
    val unknown = session.sessionState.conf.defaultSizeInBytes
    limit == 0 ||
    (optimized.stats.sizeInBytes > limit && !optimized.collectLeaves().exists(_.stats.sizeInBytes >= unknown))
  }

  private def value(row: InternalRow, i: Int, pair: KeyPair): Any = row.get(i, pair.source.dataType) match {
    case text: UTF8String => text.clone()
    case other            => other
  }
}
