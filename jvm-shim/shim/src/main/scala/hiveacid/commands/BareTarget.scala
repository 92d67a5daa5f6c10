package hiveacid.commands

import scala.util.Try

import hiveacid.scan.{AcidRelation, ForeignNode, ForeignNodes}
import hiveacid.values.AcidTable
import hiveacid.wire.StatementKind

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, ExprId, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation

/** How a row-change query reads the target.
  *
  * @param relation
  *   as the query was made
  * @param way
  *   from the query's top to the relation
  */
final case class TargetRead(relation: LogicalRelation, way: TargetWay) {
  private val columns: Set[ExprId] = relation.output.map(_.exprId).toSet

  /** True for the relation of the target, in whatever form it has come to. */
  def isOf(l: LogicalRelation): Boolean = l.output.exists(a => columns(a.exprId))

  /** None if the plan does not read the target. */
  private[commands] def wayIn(plan: LogicalPlan): Option[TargetWay] = plan match {
    case l: LogicalRelation if isOf(l) => Some(TargetWay(Nil, Map.empty))
    case _: LeafNode                   => None
    case other => other.children.iterator.map(wayIn).collectFirst { case Some(below) => below.under(other) }
  }

  /** A node on the way to the target that the query did not have when it was made, or that has something else in place
    * of a column of the target.
    */
  def foreign(plan: LogicalPlan): Option[LogicalPlan] =
    wayIn(plan).fold(Option(plan))(now => surplus(way.nodes, now.nodes, now))

  @annotation.tailrec
  private def surplus(
      expected: Seq[LogicalPlan],
      found: Seq[LogicalPlan],
      now: TargetWay
  ): Option[LogicalPlan] = found match {
    case Nil                                                              => None
    case node +: rest if expected.headOption.exists(isSame(_, node, now)) => surplus(expected.tail, rest, now)
    case (p: Project) +: rest if ForeignNodes.isPlain(p)                  => surplus(expected, rest, now)
    case node +: _                                                        => Some(node)
  }

  private def isSame(was: LogicalPlan, is: LogicalPlan, now: TargetWay): Boolean = (was, is) match {
    case (before: Project, after: Project) if before.projectList.length == after.projectList.length =>
      before.projectList.zip(after.projectList).forall { case (column, value) =>
        way.kept(column).filter(columns).forall(now.kept(value).contains)
      }
    case _ => was.nodeName == is.nodeName
  }

  /** The same query later on: with what this package has added since. */
  def in(plan: LogicalPlan): TargetRead = wayIn(plan).fold(this)(now => copy(way = now))
}

object TargetRead {

  /** @param changes
    *   an analysed row-change query that nobody but this package has had in hand; None if it does not read the target
    */
  def of(changes: LogicalPlan): Option[TargetRead] = changes
    .collectFirst {
      case SubqueryAlias(id, below) if id.name == RowChangeQuery.Target =>
        below.collectLeaves().collectFirst { case l: LogicalRelation => TargetRead(l, TargetWay(Nil, Map.empty)) }
    }
    .flatten
    .map(_.in(changes))
}

/** The way from the top of a plan to the target's relation.
  *
  * @param nodes
  *   from the top down, but for aliases and the padding of CHAR columns
  * @param padded
  *   the columns of the relation by those that they are padded to
  */
final case class TargetWay(nodes: Seq[LogicalPlan], padded: Map[ExprId, ExprId]) {
  private[commands] def under(node: LogicalPlan): TargetWay = node match {
    case _: SubqueryAlias                        => this
    case p: Project if ForeignNodes.isPadding(p) =>
      copy(padded = p.projectList.map(_.exprId).zip(p.child.output.map(_.exprId)).toMap)
    case other => copy(nodes = other +: nodes)
  }

  /** The column that is passed on as it is. */
  private[commands] def kept(value: Expression): Option[ExprId] = value match {
    case a: Attribute => Some(padded.getOrElse(a.exprId, a.exprId))
    case a: Alias     => kept(a.child)
    case _            => None
  }
}

/** A statement changes the rows that are stored, and what it leaves of their values is what is stored: no extension may
  * stand between the target and the statement. Where it writes values in place of stored ones, that holds for all that
  * it reads of the target's table.
  */
final class BareTarget(session: SparkSession, command: AcidWriteCommand) {

  /** Refuses the statement as it was analysed, and what the optimizer would make of it. Nothing has been read yet. */
  def check(): Unit = checkPlan(command.read, command.changes)

  private def checkPlan(target: Option[TargetRead], plan: LogicalPlan): Unit = {
    val kept = target.toSeq.map(read => "HIVE_ACID_FOREIGN_NODE.TARGET" -> (read.foreign(_))) ++ ofSources
    for ((condition, find) <- kept) {
      find(plan).foreach(node => refuse(condition, ForeignNode(node, ruleOfAnalyzer)))
      ForeignNodes.byOptimizer(session, plan)(find).foreach(refuse(condition, _))
    }
  }

  /** Refuses the plan that is about to be executed, made of `bound`, which is the statement's query bound to a
    * snapshot.
    */
  def check(bound: LogicalPlan, execution: QueryExecution): Unit = {
    val now = command.read.map(_.in(bound))
    checkPlan(now, execution.analyzed)
    val optimized = now.flatMap(_.wayIn(execution.optimizedPlan)).fold(Seq.empty[LogicalPlan])(_.nodes)
    optimized
      .find(ForeignNodes.isOfOthers)
      .foreach(node => refuse("HIVE_ACID_FOREIGN_NODE.TARGET", ForeignNode(node, None)))
  }

  /** The other reads of the target's table. A DELETE writes nothing of them. */
  private def ofSources: Seq[(String, LogicalPlan => Option[LogicalPlan])] = command.kind match {
    case StatementKind.Insert | StatementKind.Delete | StatementKind.Truncate => Nil
    case _                                                                    =>
      val key = AcidTable.key(command.target)
      Seq("HIVE_ACID_FOREIGN_NODE.SOURCE" -> (ForeignNodes.above(_) {
        case l: LogicalRelation =>
          AcidRelation.isOurs(l) && !command.read.exists(_.isOf(l)) && l.catalogTable.exists(AcidTable.key(_) == key)
        case _ => false
      }))
  }

  /** Tried on a query of the target alone. */
  private def ruleOfAnalyzer: Option[String] = {
    val relation = command.read.map(_.relation).getOrElse(AcidRelation.relation(session, command.target, Nil))
    val fresh = relation.copy(output = relation.output) // no marks of others
    val probe = Project(fresh.output, SubqueryAlias(RowChangeQuery.Target, fresh))
    val known = TargetRead.of(probe)
    Try(ForeignNodes.ruleOfAnalyzer(session, probe)(plan => known.flatMap(_.foreign(plan)))).toOption.flatten
  }

  private def refuse(condition: String, found: ForeignNode): Nothing =
    found.refuse(condition, command.kind.name.toUpperCase, command.target)
}
