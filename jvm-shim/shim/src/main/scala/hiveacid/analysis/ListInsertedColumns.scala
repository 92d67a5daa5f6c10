package hiveacid.analysis

import hiveacid.errors.{AcidException, Refusal}
import hiveacid.scan.AcidRelation

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/** The target of a MERGE in a script that has INSERT clauses without columns.
  *
  * @param marker
  *   what the parser was told that their columns are called
  */
case class UnlistedColumns(child: LogicalPlan, marker: String) extends UnaryNode {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

/** Names the columns of `INSERT VALUES` in a MERGE of a script. A script is parsed as a whole, and its statements
  * before the MERGE can make the target anew or change the current schema.
  *
  * Before Spark resolves the columns.
  */
case class ListInsertedColumns(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown { case m: MergeIntoTable =>
    m.targetTable match {
      case UnlistedColumns(target, marker) => listed(m.copy(targetTable = target), marker)
      case _                               => m
    }
  }

  private def listed(m: MergeIntoTable, marker: String): MergeIntoTable = {
    val name = m.targetTable.collectFirst { case r: UnresolvedRelation => r.multipartIdentifier }.getOrElse(Nil)
    val columns = AcidRelation.read(session, name).fold(Seq.empty[String])(_.schema.fieldNames.toSeq)
    m.copy(notMatchedActions = m.notMatchedActions.map {
      case insert: InsertAction if ListInsertedColumns.isUnlisted(insert, marker) =>
        if (insert.assignments.length != columns.length) refuse(name)
        insert.copy(assignments = insert.assignments.zip(columns).map { case (assignment, column) =>
          assignment.copy(key = UnresolvedAttribute(Seq(column)))
        })
      case other => other
    })
  }

  private def refuse(name: Seq[String]): Unit = {
    val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.UNLISTED_COLUMNS")
    throw AcidException.unsupported("MERGE", name.mkString("."), refusal)
  }
}

object ListInsertedColumns {

  /** The parsed MERGE, whose columns are named when it runs if they are called so. */
  def later(m: MergeIntoTable, marker: String): MergeIntoTable =
    if (unlisted(m, marker) == 0) m else m.copy(targetTable = UnlistedColumns(m.targetTable, marker))

  /** How many INSERT clauses have columns that are called so. */
  def unlisted(m: MergeIntoTable, marker: String): Int = m.notMatchedActions.count(isUnlisted(_, marker))

  private def isUnlisted(action: MergeAction, marker: String): Boolean = action match {
    case InsertAction(_, assignments) =>
      assignments.nonEmpty && assignments.forall(_.key match {
        case UnresolvedAttribute(Seq(name)) => name == marker
        case _                              => false
      })
    case _ => false
  }
}
