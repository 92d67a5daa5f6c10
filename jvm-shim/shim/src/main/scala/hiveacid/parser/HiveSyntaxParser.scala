package hiveacid.parser

import java.lang.StackWalker.StackFrame
import java.util.Optional

import hiveacid.catalog.InsertTargets
import hiveacid.commands.{ExplainAcidCommand, OperatorCommand}
import hiveacid.python.PythonSide
import hiveacid.scan.AcidRelation
import hiveacid.values.AcidTable
import hiveacid.wire.ExplainedStatement

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
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
    * the error of the text as it was.
    */
  override protected def parsed(text: String, parse: String => LogicalPlan): LogicalPlan =
    try parse(text)
    catch {
      case refused: ParseException =>
        val meant = new VariableSubstitution().substitute(text) // as Spark's parser reads it
        explained(meant, parse)
          .orElse(OperatorCommand.find(session, meant))
          .orElse(HiveSpelling.parsed(session, meant, parse))
          .getOrElse(throw refused)
    }

  /** Where a DataFrame's `insertInto` asks, a transactional table is named so that the plan has the writer's options.
    */
  override def parseMultipartIdentifier(text: String): Seq[String] = {
    val parts = delegate.parseMultipartIdentifier(text)
    if (!isOfInsertInto) parts
    else
      AcidRelation
        .read(session, parts)
        .filter(AcidTable.ownCatalog(_).isEmpty)
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

  /** `EXPLAIN ACID statement`; errors in the statement have their positions in the whole text. */
  private def explained(text: String, parse: String => LogicalPlan): Option[LogicalPlan] = for {
    api <- PythonSide.reachable(session)
    answer <- PythonSide.message[Option[ExplainedStatement]](api.explainedStatement(text))
  } yield ExplainAcidCommand.of(parsed(answer.text, parse), answer.formatted)
}
