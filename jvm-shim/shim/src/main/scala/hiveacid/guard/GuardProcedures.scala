package hiveacid.guard

import java.util.Locale

import scala.util.Try

import hiveacid.catalog.SessionTables
import hiveacid.errors.Refusal
import hiveacid.values.AcidTable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{SparkLinePlans, RowAccess, SparkAccess}

/** Refuses procedures of other table formats that are given the name of a transactional table: they rename it, or take
  * its files, by calls that no plan shows. Before the analyzer, which runs a procedure as soon as it is resolved
  * (InvokeProcedures).
  */
case class GuardProcedures(session: SparkSession) extends Rule[LogicalPlan] {

  /** Procedures of Iceberg, in any of its catalogs, that take the files of a table of another one. */
  private val importing = Set("snapshot", "add_files")

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case SparkLinePlans.ProcedureCall(name, arguments) => check(name, arguments)
      case _                                             =>
    }
    plan
  }

  private def check(name: Seq[String], arguments: Seq[Expression]): Unit = {
    val ofSession = isOfSession(name)
    if (ofSession || importing(name.last.toLowerCase(Locale.ROOT))) {
      val refusal = Refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.PROCEDURE")
      values(arguments).flatMap(text).flatMap(named(_, ofSession)).foreach { table =>
        AcidTable.refuse(s"CALL ${name.mkString(".")}", table, refusal)
      }
    }
  }

  private def isOfSession(name: Seq[String]) =
    if (name.length > 2) name.head.equalsIgnoreCase(AcidTable.SessionCatalog)
    else session.sessionState.catalogManager.currentCatalog.name == AcidTable.SessionCatalog

  /** The arguments with their functions and variables resolved; nothing that Spark itself will not resolve. */
  private def values(arguments: Seq[Expression]): Seq[Expression] =
    if (arguments.forall(_.resolved)) arguments
    else {
      val row = Project(arguments.map(Alias(_, "argument")()), OneRowRelation())
      Try(RowAccess.frame(session, row).queryExecution.analyzed.expressions.flatMap(_.children)).getOrElse(Nil)
    }

  private def text(argument: Expression): Option[String] =
    Some(argument).filter(a => a.resolved && a.foldable).flatMap(a => Option(a.eval())).map(_.toString)

  /** The transactional table that a text names, if it is a name; the current catalog completes it, or that of the
    * procedure.
    */
  private def named(text: String, ofSession: Boolean): Option[CatalogTable] = {
    val id = Try(session.sessionState.sqlParser.parseMultipartIdentifier(text)).map {
      case Seq(table) if ofSession           => Some(TableIdentifier(table))
      case Seq(database, table) if ofSession => Some(TableIdentifier(table, Some(database)))
      case parts                             => SparkAccess.sessionIdentifier(session, parts)
    }
    id.toOption.flatten.flatMap(SessionTables.findTable(session, _))
  }
}
