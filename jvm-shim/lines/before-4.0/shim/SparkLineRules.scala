package org.apache.spark.sql.hiveacid

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{Analyzer, CTESubstitution, ParameterizedQuery}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SessionState

/** Rules before those that resolve tables. */
object SparkLineRules {

  /** Before 4.0 no extension has rules there, so that the session's analyzer is replaced by one that has them. It
    * exists once the session parses something; so does every statement that these rules are about, if only a table's
    * name.
    */
  def injectEarly(extensions: SparkSessionExtensions, rules: Seq[SparkSession => Rule[LogicalPlan]]): Unit =
    extensions.injectParser((session, parser) => new InstallingParser(session, parser, rules))

  /** private; the field of a lazy value, which Spark has set by the time it is replaced. */
  private[hiveacid] def replaceAnalyzer(session: SparkSession, rules: Seq[Rule[LogicalPlan]]): Unit = {
    val state = session.sessionState
    val replaced = new EarlyAnalyzer(state.analyzer, rules)
    val field = classOf[SessionState].getDeclaredField("analyzer")
    field.setAccessible(true)
    state.synchronized(field.set(state, replaced))
  }
}

/** Spark's analyzer after some rules, which see WITH as Spark's own do. */
private class EarlyAnalyzer(spark: Analyzer, rules: Seq[Rule[LogicalPlan]]) extends Analyzer(spark.catalogManager) {
  override val extendedResolutionRules: Seq[Rule[LogicalPlan]] = spark.extendedResolutionRules
  override val postHocResolutionRules: Seq[Rule[LogicalPlan]] = spark.postHocResolutionRules
  override val extendedCheckRules: Seq[LogicalPlan => Unit] = spark.extendedCheckRules

  override def execute(plan: LogicalPlan): LogicalPlan =
    spark.execute((CTESubstitution +: SupervisedParameters +: rules).foldLeft(plan)((before, rule) => rule(before)))

  override def checkAnalysis(plan: LogicalPlan): Unit = spark.checkAnalysis(plan)
}

/** Puts the parameters of a command about a statement into that statement, as Spark itself does since 4.0. */
private object SupervisedParameters extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case query: ParameterizedQuery =>
      query.children.head match {
        case command: SparkLineSupervision =>
          command.withTransformedSupervisedPlan(statement => query.withNewChildren(Seq(statement)))
        case _ => query
      }
    case _ => plan
  }
}

/** Spark's parser, whose first use replaces the session's analyzer. */
private class InstallingParser(
    session: SparkSession,
    parser: ParserInterface,
    rules: Seq[SparkSession => Rule[LogicalPlan]]
) extends DelegatingParser {
  override protected lazy val delegate: ParserInterface = {
    SparkLineRules.replaceAnalyzer(session, rules.map(_(session)))
    parser
  }

  override def parsePlan(text: String): LogicalPlan = delegate.parsePlan(text)
}
