package hiveacid.analysis

import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.expressions.NewRowCheck

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, LogicalRelation}
import org.apache.spark.sql.types.{StringType, VarcharType}

/** `INSERT INTO t REPLACE WHERE condition query`, and `writeTo(t).overwrite(condition)`, while Spark analyses it: the
  * rows to replace as a query of the target, so that the condition is resolved as that of a DELETE is, and the INSERT
  * of the new ones, so that their columns are matched and cast as those of any INSERT are.
  *
  * @param victims
  *   the target below a Filter with the condition
  * @param text
  *   the condition as the user wrote it, if that is known
  */
case class ReplaceWhere(victims: LogicalPlan, insert: LogicalPlan, text: Option[String]) extends BinaryCommand {
  override def left: LogicalPlan = victims
  override def right: LogicalPlan = insert
  override protected def withNewChildrenInternal(left: LogicalPlan, right: LogicalPlan): ReplaceWhere =
    copy(victims = left, insert = right)
}

/** The same once the condition is resolved: it and the target are out of reach of rules that prepare a plan for being
  * read, by padding CHAR columns for example.
  */
case class ResolvedReplaceWhere(target: LogicalRelation, condition: Expression, insert: LogicalPlan, text: String)
    extends ResolvedReplacement {
  override protected def withNewChildInternal(newChild: LogicalPlan): ResolvedReplaceWhere = copy(insert = newChild)

  override def canonical(c: InsertIntoHadoopFsRelationCommand): CanonicalStatement = {
    val columns = target.output.take(c.query.output.length)
    val values = named(c)
    val news = AttributeMap(columns.zip(values.map(_.toAttribute)).map { case (c, value) => c -> asStored(c, value) })
    val check = NewRowCheck(
      condition.transform { case a: Attribute => news.getOrElse(a, a) },
      AcidTable.name(target.catalogTable.get),
      text
    )
    CanonicalStatement.replace(target.withMetadataColumns(), condition, Filter(check, Project(values, c.query)))
  }

  /** A text names the partition of NULL where Hive's name of that, or nothing, would be the name. */
  private def asStored(column: Attribute, value: Attribute): Expression = {
    val key = AcidTable.partitionKeys(target.catalogTable.get).find(_.name.equalsIgnoreCase(column.name))
    key.map(_.rawType) match {
      case Some(_: StringType | _: VarcharType) =>
        val ofNull = Seq("", ExternalCatalogUtils.DEFAULT_PARTITION_NAME)
        If(In(value, ofNull.map(Literal(_))), Literal(null, column.dataType), value)
      case _ => value
    }
  }
}

object ReplaceWhere {

  /** @param insert
    *   the INSERT of the new rows
    */
  def apply(target: CatalogTable, condition: Expression, insert: LogicalPlan): ReplaceWhere =
    apply(target, condition, insert, textOf(condition))

  def apply(target: CatalogTable, condition: Expression, insert: LogicalPlan, text: Option[String]): ReplaceWhere =
    ReplaceWhere(Filter(condition, UnresolvedRelation(target.identifier.nameParts)), insert, text)

  /** The statement out of the reach of later rules, once our relation stands for the target. Spark's own checks of the
    * condition have the user's text and position.
    */
  def resolve(session: SparkSession, r: ReplaceWhere): LogicalPlan =
    r.victims.collectFirst { case Filter(c, AcidRelation.Target(t)) => (c, t) }.fold[LogicalPlan](foreign(r)) {
      case (condition, target) =>
        ResolvedReplacement.refuseConditions(target, condition)
        session.sessionState.analyzer.checkAnalysis(r.victims)
        ResolvedReplaceWhere(target, condition, r.insert, r.text.getOrElse(printed(condition)))
    }

  /** The same, or the refusal of a target that another extension's node has taken the place of. */
  private def foreign(r: ReplaceWhere): ReplaceWhere = {
    r.victims.collectFirst { case Filter(_, child) => child }.foreach(ResolvedReplacement.refuseForeign)
    r
  }

  /** The user's text from the first to the last place that is known of the condition's parts, as no part knows all of
    * it (`IS NULL`). None where that leaves a parenthesis open, and for columns of Python, which have no text; nor with
    * a truth value, of which Spark has one node each, from wherever that was first met.
    */
  private def textOf(condition: Expression): Option[String] = {
    val places = condition.collect { case e if e.origin.sqlText.isDefined => e.origin }
    for {
      origin <- places.headOption if places.forall(_.sqlText == origin.sqlText) && !condition.exists(isShared)
      first <- places.flatMap(_.startIndex).reduceOption(_ min _)
      last <- places.flatMap(_.stopIndex).reduceOption(_ max _)
      text = origin.sqlText.get.slice(first, last + 1) if text.count(_ == '(') == text.count(_ == ')')
    } yield text
  }

  private def isShared(part: Expression) = (part eq TrueLiteral) || (part eq FalseLiteral)

  /** In Spark's spelling. */
  private def printed(condition: Expression): String =
    condition.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql
}
