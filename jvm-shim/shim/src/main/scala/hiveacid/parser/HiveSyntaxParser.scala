package hiveacid.parser

import java.lang.StackWalker.StackFrame
import java.util.{Locale, Optional}

import hiveacid.catalog.InsertTargets
import hiveacid.commands.{ExplainAcidCommand, OperatorCommand}
import hiveacid.errors.AcidException
import hiveacid.python.PythonSide
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.wire.{ExplainedStatement, Hint, Translation}

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableOrView
import org.apache.spark.sql.catalyst.plans.logical.{DescribeColumn, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{DelegatingParser, SparkLineParameters, SparkLineRoutines}
import org.apache.spark.sql.internal.VariableSubstitution

/** Spark's parser, statements in Hive's spelling that it rejects, statements of Hive that it does not know, and EXPLAIN
  * ACID.
  */
case class HiveSyntaxParser(session: SparkSession, delegate: ParserInterface)
    extends DelegatingParser
    with SparkLineParameters
    with SparkLineRoutines {
  override def parsePlan(text: String): LogicalPlan = parsed(text, delegate.parsePlan)

  /** A text that Spark's parser takes is never looked at. One that it does not take, in Hive's spelling neither, has
    * the error of the text as it was, or one that tells what is written instead.
    */
  override protected def parsed(text: String, parse: String => LogicalPlan): LogicalPlan =
    try otherwise(text, parse(text))
    catch {
      // a NullPointerException: Spark's parser since 4.1, for constraints with the words of Hive
      case refused @ (_: ParseException | _: NullPointerException) =>
        val meant = new VariableSubstitution().substitute(text) // as Spark's parser reads it
        explained(meant, parse)
          .orElse(OperatorCommand.find(session, meant))
          .orElse(HiveSpelling.parsed(session, meant, parse))
          .orElse(translated(meant, parse))
          .orElse(DroppedPartitions.parsed(session, meant))
          .getOrElse(throw hinted(meant).getOrElse(refused))
    }

  /** A column of a table called HISTORY or DETAIL, as Spark takes it, is another statement, unless there is such a
    * table.
    */
  private def otherwise(text: String, plan: LogicalPlan): LogicalPlan = plan match {
    case d: DescribeColumn if isDescription(d.relation) =>
      OperatorCommand.find(session, text).getOrElse(hinted(text).fold(plan)(throw _))
    case _ => plan
  }

  private def isDescription(relation: LogicalPlan) = relation match {
    case u: UnresolvedTableOrView =>
      u.multipartIdentifier match {
        case Seq(name) => Descriptions(name.toUpperCase(Locale.ROOT)) && !session.catalog.tableExists(name)
        case _         => false
      }
    case _ => false
  }

  /** Where a DataFrame's `insertInto` asks, a transactional table is named so that the plan has the writer's options.
    */
  override def parseMultipartIdentifier(text: String): Seq[String] = {
    val parts = delegate.parseMultipartIdentifier(text)
    if (!isOfInsertInto) parts
    else
      AcidRelation
        .read(session, parts)
        .filter(AcidTable.foreignCatalog(_).isEmpty)
        .fold(parts)(InsertTargets.name(session, _))
  }

  /** Whether the method that has called this parser, or one around it, is `insertInto` (4.3: `insertIntoCommand`). */
  private def isOfInsertInto: Boolean = {
    val caller = StackWalker
      .getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
      .walk[Optional[StackFrame]](
        _.filter(frame => !classOf[ParserInterface].isAssignableFrom(frame.getDeclaringClass)).findFirst()
      )
    caller.isPresent && caller.get.getClassName.endsWith(".DataFrameWriter") &&
    caller.get.getMethodName.startsWith("insertInto")
  }

  private val Descriptions = Set("HISTORY", "DETAIL")

  /** A statement of other engines about a transactional table that one of Spark's says; None also where Spark's parser
    * refuses that one, so that the error is about the text as it was.
    */
  private def translated(text: String, parse: String => LogicalPlan): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    answer <- PythonSide.message[Option[Translation]](api.translation(text))
    if AcidRelation.read(session, answer.table).isDefined
    plan <- tryParse(answer.text, parse)
  } yield plan

  private def tryParse(text: String, parse: String => LogicalPlan): Option[LogicalPlan] =
    try Some(parse(text))
    catch { case _: ParseException => None }

  /** The error of a statement of other engines about a transactional table, or about none. */
  private def hinted(text: String): Option[AcidException] = for {
    api <- PythonSide.reachable(session)
    hint <- PythonSide.message[Option[Hint]](api.hint(text))
    table = Option(hint.table).filter(_.nonEmpty).flatMap(AcidRelation.read(session, _))
    if hint.table.isEmpty || table.isDefined
  } yield AcidException(hint.condition, Map("statement" -> hint.statement) ++ table.map("table" -> AcidTable.name(_)))

  /** `EXPLAIN ACID statement`; errors in the statement have their positions in the whole text. */
  private def explained(text: String, parse: String => LogicalPlan): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    answer <- PythonSide.message[Option[ExplainedStatement]](api.explainedStatement(text))
  } yield ExplainAcidCommand.of(parsed(answer.text, parse), answer.formatted)
}
