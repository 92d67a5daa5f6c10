package hiveacid.scan

import hiveacid.errors.AcidException
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression}
import org.apache.spark.sql.catalyst.optimizer.Optimizer
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.hiveacid.SparkAccess

/** A node that another extension has put between a table's relation and who reads it, as those do that mask columns or
  * filter rows.
  *
  * @param rule
  *   by which it came, if that is known
  */
final case class ForeignNode(node: LogicalPlan, rule: Option[String]) {

  /** @param condition
    *   with its sub-condition
    */
  def refuse(condition: String, operation: String, table: CatalogTable): Nothing =
    throw AcidException(
      condition,
      Map(
        "operation" -> operation,
        "table" -> AcidTable.name(table),
        "node" -> ForeignNodes.describe(node),
        "rule" -> rule.getOrElse("a rule of another extension")
      )
    )
}

object ForeignNode {

  /** The node in place of a table's relation, below aliases. */
  def of(plan: LogicalPlan): Option[ForeignNode] = plan match {
    case SubqueryAlias(_, child)                 => of(child)
    case _: LeafNode                             => None
    case p: Project if ForeignNodes.isPadding(p) => None
    case other                                   => Some(ForeignNode(other, None))
  }
}

object ForeignNodes {

  /** The node right above such a relation, anywhere in an analysed plan, if that is not its own name. Spark puts
    * nothing else there but the padding of CHAR columns.
    */
  def above(plan: LogicalPlan)(isMeant: LogicalPlan => Boolean): Option[LogicalPlan] = {
    def isPadded(p: LogicalPlan) = p match {
      case padding: Project => isMeant(padding.child) && isPadding(padding)
      case _                => false
    }
    plan.collectWithSubqueries {
      case p if !p.isInstanceOf[SubqueryAlias] && !isPadded(p) && p.children.exists(c => isMeant(c) || isPadded(c)) => p
    }.headOption
  }

  /** The same for what is left of the plan once each rule that others have put before the api has been tried. */
  def byOptimizer(session: SparkSession, plan: LogicalPlan)(
      find: LogicalPlan => Option[LogicalPlan]
  ): Option[ForeignNode] = firstOf(optimizerRules(session), plan)(find)

  /** The rule of the analyzer that puts such a node into the plan. */
  def ruleOfAnalyzer(session: SparkSession, plan: LogicalPlan)(find: LogicalPlan => Option[LogicalPlan]) = {
    val analyzer = session.sessionState.analyzer
    firstOf(analyzer.extendedResolutionRules ++ analyzer.postHocResolutionRules, plan)(find).flatMap(_.rule)
  }

  private def firstOf(rules: Seq[Rule[LogicalPlan]], plan: LogicalPlan)(find: LogicalPlan => Option[LogicalPlan]) =
    rules.view
      .filterNot(isOurs)
      .flatMap(rule => find(rule(plan.clone())).map(ForeignNode(_, Some(rule.ruleName))))
      .headOption

  /** The rules that others have added between the analysis and the api. */
  private def optimizerRules(session: SparkSession): Seq[Rule[LogicalPlan]] = {
    def rules(optimizer: Optimizer) = optimizer.batches.flatMap(_.rules)
    val known = rules(SparkAccess.plainOptimizer(session)).map(_.ruleName).toSet
    val added = rules(session.sessionState.optimizer).filterNot(rule => known(rule.ruleName))
    session.sessionState.planNormalizationRules.toSeq ++ added.distinct
  }

  private def isOurs(node: AnyRef): Boolean = node.getClass.getName.startsWith("hiveacid.")

  /** True for a node of a kind that neither Spark nor this package has. */
  def isOfOthers(node: LogicalPlan): Boolean =
    !isOurs(node) && !node.getClass.getName.startsWith("org.apache.spark.sql.")

  /** The kind of node, which tells nothing of values. */
  def describe(node: LogicalPlan): String = if (isOfOthers(node)) node.getClass.getName else node.nodeName

  /** True for the node by which Spark pads the CHAR columns of the relation below it. */
  def isPadding(p: Project): Boolean = tableOf(p.child).exists { table =>
    p.projectList.map(_.name) == p.child.output.map(_.name) && p.projectList.zip(p.child.output).forall {
      case (a: Attribute, column)    => a.exprId == column.exprId
      case (Alias(value, _), column) =>
        val declared = table.schema.find(_.name.equalsIgnoreCase(column.name))
        declared.exists { field =>
          CharVarcharUtils.addPaddingForScan(column.withMetadata(field.metadata)).canonicalized == value.canonicalized
        }
      case _ => false
    }
  }

  private def tableOf(leaf: LogicalPlan): Option[CatalogTable] = leaf match {
    case l: LogicalRelation   => l.catalogTable
    case h: HiveTableRelation => Some(h.tableMeta)
    case _                    => None
  }

  /** True for a node that shows all columns by their names as they are, in wider types perhaps: Spark's analyzer makes
    * the sides of a UNION alike by it. A narrower type shows other values.
    */
  def isPlain(p: Project): Boolean = p.projectList.forall {
    case _: Attribute       => true
    case Alias(value, name) =>
      value match {
        case c: Cast => isNamed(c.child, name) && Cast.canUpCast(c.child.dataType, c.dataType)
        case other   => isNamed(other, name)
      }
    case _ => false
  }

  private def isNamed(value: Expression, name: String) = value match {
    case a: Attribute => a.name == name
    case _            => false
  }
}
