package hiveacid.analysis

import hiveacid.catalog.SessionTables
import hiveacid.commands.{AcidDdlCommand, ChangeColumnCommand}
import hiveacid.errors.Refusal
import hiveacid.values.AcidTable
import hiveacid.wire.DdlKind

import org.apache.spark.sql.catalyst.analysis.{UnresolvedRelation, UnresolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{SparkAccess, SparkLinePlans}
import org.apache.spark.sql.types.{StringType, StructField}

/** Changes of columns and constraints that Spark has no command for in tables of Hive. A column's new name is a command
  * of ours. Spark would refuse the others without a way, or, for `ADD COLUMN … FIRST` and `AFTER`, add each column as
  * the last one, so that the next INSERT would put values into other columns than its writer means. Before Spark makes
  * its commands.
  */
case class RefuseAlterations(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case node @ RenameColumn(_, column, name) if column.name.length == 1 =>
      table(node).fold[LogicalPlan](node)(renamed(_, column.name.head, name))
    case node: Command =>
      for {
        (refusal, operation) <- refused(node)
        found <- table(node)
      } AcidTable.refuse(operation, found, refusal)
      node
  }

  private def table(node: Command): Option[CatalogTable] = for {
    name <- node.collectFirst {
      case t: UnresolvedTable    => t.multipartIdentifier
      case r: UnresolvedRelation => r.multipartIdentifier // since 4.1, for a CHECK that names columns
    }
    id <- SparkAccess.sessionIdentifier(session, name)
    found <- SessionTables.find(session, id)
  } yield found

  private def renamed(t: CatalogTable, column: String, name: String): LogicalPlan = {
    val command = ChangeColumnCommand(t.identifier, column, Some(name), newType = None, newComment = None)
    AcidDdlCommand(DdlKind.AlterColumns, Seq(t), command, newColumns = Seq(StructField(name, StringType)))
  }

  private def refused(node: Command): Option[(Refusal, String)] = node match {
    case AddColumns(_, columns) if columns.exists(_.position.isDefined) =>
      Some(Position -> "ALTER TABLE … ADD COLUMNS")
    case AddColumns(_, columns) if columns.exists(_.path.isDefined) =>
      Some(Change -> "ALTER TABLE … ADD COLUMN")
    case SparkLinePlans.MovedColumns(_)  => Some(Change -> "ALTER TABLE … ALTER COLUMN")
    case _: RenameColumn                 => Some(Change -> "ALTER TABLE … RENAME COLUMN")
    case _: DropColumns                  => Some(Removal -> "ALTER TABLE … DROP COLUMN")
    case _: ReplaceColumns               => Some(Removal -> "ALTER TABLE … REPLACE COLUMNS")
    case _ if constraints(node.nodeName) => Some(Constraint -> "ALTER TABLE … CONSTRAINT")
    case _: DropIndex | _: CreateIndex   => Some(Index -> "INDEX")
    case _                               => None
  }

  private val Position = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_POSITION")
  private val Change = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_CHANGE")
  private val Removal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_REMOVAL")
  private val Constraint = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.CONSTRAINT")
  private val Index = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.INDEX")

  /** Since Spark 4.1. */
  private val constraints = Set("AddConstraint", "AddCheckConstraint", "DropConstraint")
}
