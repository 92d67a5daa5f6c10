package hiveacid.commands

import hiveacid.errors.Refusal
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/** The source of an INSERT into several tables, which Hive reads once, and Spark once for each of them. All read it in
  * one snapshot, so that it has the same rows for all unless these are others at each evaluation, as drawn ones are.
  */
object CommonSource {
  def refuseChanging(inserts: Seq[AcidWriteCommand]): Unit =
    for (insert <- inserts; source <- changing(insert.changes)) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CHANGING_SOURCE", Map("source" -> source))
      AcidTable.refuse("INSERT into several tables", insert.target, refusal)
    }

  /** The name of a part of the FROM clause; values of a SELECT list stand above all names and may change. */
  private def changing(plan: LogicalPlan): Option[String] = plan.collectFirst {
    case SubqueryAlias(id, child) if id.name != RowChangeQuery.Source && isChanging(child) => id.name
    case g: Generate if g.qualifier.isDefined && isChanging(g.generator)                   => g.qualifier.get
  }

  private def isChanging(part: LogicalPlan): Boolean = part.exists {
    case p @ (_: GlobalLimit | _: LocalLimit | _: Offset) => !isSorted(p)
    case p                                                => p.expressions.exists(isChanging)
  }

  /** Whether it has the same rows each time: all that it shows is sorted. */
  private def isSorted(limit: LogicalPlan): Boolean = limit match {
    case GlobalLimit(_, child)     => isSorted(child)
    case LocalLimit(_, child)      => isSorted(child)
    case Offset(_, child)          => isSorted(child)
    case sort: Sort if sort.global => limit.output.forall(a => sort.order.exists(_.child.semanticEquals(a)))
    case _                         => false
  }

  private def isChanging(value: Expression): Boolean = value.exists {
    case _: Exists | _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => false
    case query: SubqueryExpression                                                       => isChanging(query.plan)
    case e => e.children.forall(_.deterministic) && !e.deterministic
  }
}
