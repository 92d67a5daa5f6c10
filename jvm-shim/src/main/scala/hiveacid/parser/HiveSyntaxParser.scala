package hiveacid.parser

import hiveacid.commands.{ExplainAcidCommand, OperatorCommand}
import hiveacid.python.PythonSide
import hiveacid.wire.ExplainedStatement

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{DelegatingParser, LineParameters, LineRoutines}

/** Spark's parser, statements in Hive's spelling that it rejects, statements of Hive that it does not know, and EXPLAIN
  * ACID.
  */
case class HiveSyntaxParser(session: SparkSession, delegate: ParserInterface)
    extends DelegatingParser
    with LineParameters
    with LineRoutines {
  override def parsePlan(text: String): LogicalPlan = parsed(text, delegate.parsePlan)

  /** A text that Spark's parser takes is never looked at. One that it does not take, in Hive's spelling neither, has
    * the error of the text as it was.
    */
  override protected def parsed(text: String, parse: String => LogicalPlan): LogicalPlan =
    try parse(text)
    catch {
      case refused: ParseException =>
        explained(text, parse)
          .orElse(OperatorCommand.find(session, text))
          .orElse(HiveSpelling.parsed(session, text, parse))
          .getOrElse(throw refused)
    }

  /** `EXPLAIN ACID statement`; errors in the statement have their positions in the whole text. */
  private def explained(text: String, parse: String => LogicalPlan): Option[LogicalPlan] = for {
    planner <- PythonSide.reachable(session)
    answer <- PythonSide.message[Option[ExplainedStatement]](planner.explainedStatement(text))
  } yield ExplainAcidCommand.of(parsed(answer.text, parse), answer.formatted)
}
