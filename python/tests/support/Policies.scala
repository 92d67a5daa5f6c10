package policies

import java.nio.file.{Files, Paths, StandardOpenOption}

import hiveacid.plugins.TableStatement

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  AttributeReference,
  Cast,
  EqualTo,
  ExprId,
  Expression,
  Literal,
  NamedExpression,
  Not
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.util.QueryExecutionListener

/** The policies of a session, as its settings have them.
  *
  *   - `spark.policies.stage`: `analysis`, `optimizer`, `alias` or `expression`, where rows are masked and filtered; nowhere if not set.
  *     `alias` is the analysis, above the name of a table instead of right above its relation, and `expression` the
  *     analysis, in place of columns that are selected
  *   - `spark.policies.mask`: `table.column`, which shows `***`
 *   - `spark.policies.coarse`: `table.column=type`, which shows its values as those of another type
  *   - `spark.policies.filter`: `table.column=value`, rows that are not shown
  *   - `spark.policies.leavesTargets`: `true` for a plug-in that knows statements by [[hiveacid.plugins.TableStatement]]
  *   - `spark.policies.knows`: `nothing` for a plug-in that knows no statement of Spark either
  *   - `spark.policies.denied`: `kind table`, which nobody may do; `READ table` for sources
  *   - `spark.policies.log`: the file of what was seen
  */
final class Policies(spark: SparkSession) {
  def get(name: String): Option[String] = spark.conf.getOption(s"spark.policies.$name").filter(_.nonEmpty)

  def stage: Option[String] = get("stage")

  private val Masked = "(.*)\\.(.*)".r
  private val Filtered = "(.*)\\.(.*)=(.*)".r

  private def nameOf(l: LogicalRelation) = l.catalogTable.map(_.identifier.table)

  /** The relation below what the policies put above it. */
  def over(l: LogicalRelation, below: LogicalPlan): LogicalPlan = {
    val filtered = get("filter") match {
      case Some(Filtered(table, column, value)) if nameOf(l).contains(table) =>
        val attribute = below.output.find(_.name == column).get
        Filter(Not(EqualTo(attribute, Literal.create(value.toInt))), below)
      case _ => below
    }
    val value: PartialFunction[String, Expression => Expression] = (get("mask"), get("coarse")) match {
      case (Some(Masked(table, column)), _) if nameOf(l).contains(table) => { case `column` => _ => Literal("***") }
      case (_, Some(Filtered(table, column, name))) if nameOf(l).contains(table) => {
        case `column` => Cast(_, DataType.fromDDL(name))
      }
      case _ => PartialFunction.empty
    }
    if (below.output.exists(a => value.isDefinedAt(a.name)))
      Project(below.output.map(a => value.lift(a.name).fold[NamedExpression](a)(f => Alias(f(a), a.name)())), filtered)
    else filtered
  }
}

abstract class Shown(spark: SparkSession) extends Rule[LogicalPlan] {
  private val seen = TreeNodeTag[Boolean](s"policies.${getClass.getSimpleName}")
  protected val policies = new Policies(spark)
  protected def isOn: Boolean

  override def apply(plan: LogicalPlan): LogicalPlan = if (isOn && !isOfSpark(plan)) visit(plan) else plan

  /** As other plug-ins do: the commands of Spark that it knows keep their targets as they are. */
  private def isOfSpark(plan: LogicalPlan) = {
    val known = Set("UpdateTable", "DeleteFromTable", "MergeIntoTable", "InsertIntoStatement")
    plan.exists(node => known(node.nodeName)) && !policies.get("knows").contains("nothing")
  }

  private def visit(plan: LogicalPlan): LogicalPlan =
    if (policies.stage.contains("expression")) inPlace(plan) else above(plan)

  private def inPlace(plan: LogicalPlan): LogicalPlan = plan.transform { case p: Project =>
    p.copy(projectList = p.projectList.map {
      case a: AttributeReference if policies.get("mask").exists(_.endsWith(s".${a.name}")) =>
        Alias(Literal("***"), a.name)(exprId = a.exprId, qualifier = a.qualifier)
      case a @ Alias(_: AttributeReference, name) if policies.get("mask").exists(_.endsWith(s".$name")) =>
        Alias(Literal("***"), name)(exprId = a.exprId)
      case other => other
    })
  }

  private def above(plan: LogicalPlan): LogicalPlan = {
    val kept = if (policies.get("leavesTargets").contains("true")) targets(plan) else Set.empty[ExprId]
    def isShown(l: LogicalRelation) = l.getTagValue(seen).isEmpty && !l.output.exists(a => kept(a.exprId))
    plan.transformUpWithNewOutput {
      case s @ SubqueryAlias(_, l: LogicalRelation) if policies.stage.contains("alias") && isShown(l) => replaced(s, l)
      case l: LogicalRelation if !policies.stage.contains("alias") && isShown(l)                     => replaced(l, l)
    }
  }

  private def targets(plan: LogicalPlan): Set[ExprId] = plan.collect {
    case SubqueryAlias(id, below) if id.name == TableStatement.TargetName =>
      below.collectLeaves().flatMap(_.output.map(_.exprId))
  }.flatten.toSet

  private def replaced(plan: LogicalPlan, l: LogicalRelation) = {
    l.setTagValue(seen, true)
    val shown = policies.over(l, plan)
    (shown, plan.output.zip(shown.output))
  }
}

final class ShownInAnalysis(spark: SparkSession) extends Shown(spark) {
  override protected def isOn: Boolean = policies.stage.exists(Set("analysis", "alias", "expression"))
}

final class ShownInOptimizer(spark: SparkSession, stage: String = "optimizer") extends Shown(spark) {
  override protected def isOn: Boolean = policies.stage.contains(stage)
}

/** Asks in the optimizer who may do what, of statements of this package, and keeps what it saw. */
final class Rights(spark: SparkSession) extends Rule[LogicalPlan] {
  private val policies = new Policies(spark)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case s: TableStatement =>
        s.targets.foreach(t => ask(s.statementKind, t.table))
        s.sources.foreach(t => ask("READ", t.table))
      case _ =>
    }
    plan
  }

  private def ask(action: String, table: String): Unit = {
    Seen.note(policies, s"ask $action $table")
    if (policies.get("denied").contains(s"$action $table"))
      throw new SecurityException(s"nobody may $action $table")
  }
}

/** Keeps what a lineage tool would: kind, outputs and inputs of each statement that has ended well. */
final class Lineage extends QueryExecutionListener {
  override def onSuccess(funcName: String, execution: QueryExecution, durationNs: Long): Unit =
    execution.analyzed match {
      case s: TableStatement =>
        def names(tables: Seq[TableIdentifier]) = tables.map(_.table).sorted.mkString(",")
        val policies = new Policies(execution.sparkSession)
        Seen.note(policies, s"inside ${inside(execution.analyzed).sorted.distinct.mkString(",")}")
        Seen.note(policies, s"lineage ${s.statementKind} ${names(s.targets)} <- ${names(s.sources)}")
      case _ =>
    }

  /** The tables of scans as one finds them who knows no statement of this package. */
  private def inside(plan: LogicalPlan): Seq[String] = {
    val below = plan.children ++ plan.subqueries ++ plan.innerChildren.collect { case p: LogicalPlan => p }
    val own = plan match {
      case l: LogicalRelation   => l.catalogTable.map(_.identifier.table).toSeq
      case h: HiveTableRelation => Seq(h.tableMeta.identifier.table)
      case _                    => Nil
    }
    own ++ below.flatMap(inside)
  }

  override def onFailure(funcName: String, execution: QueryExecution, error: Exception): Unit = ()
}

object Seen {
  def note(policies: Policies, line: String): Unit = policies.get("log").foreach { path =>
    Files.write(Paths.get(path), s"$line\n".getBytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
  }
}

final class Extension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectResolutionRule(new ShownInAnalysis(_))
    extensions.injectOptimizerRule(new ShownInOptimizer(_))
    extensions.injectPlanNormalizationRule(new ShownInOptimizer(_, "normalization"))
    extensions.getClass.getMethods.find(_.getName == "injectPreOperatorOptimizationRule").foreach { inject => // since 4.3
      inject.invoke(extensions, (spark: SparkSession) => new ShownInOptimizer(spark, "early optimizer"))
    }
    extensions.injectOptimizerRule(new Rights(_))
  }
}
