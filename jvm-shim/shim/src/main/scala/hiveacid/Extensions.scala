package hiveacid

import hiveacid.analysis._
import hiveacid.commands.{ExplainedStatements, PlanExplainedStatements}
import hiveacid.guard._
import hiveacid.parser.HiveSyntaxParser
import hiveacid.scan.{BindQueries, PlanBoundQueries, PlanSerdeScans, QuietScans}

import org.apache.spark.sql.{SparkSession => ApiSession, SparkSessionExtensions}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hiveacid.{SparkLineRules, SparkLineShuffles}

/** The rules that a session gets by `spark.sql.extensions=hiveacid.Extensions`. */
class Extensions extends (SparkSessionExtensions => Unit) {
  private def classic(s: ApiSession) = s.asInstanceOf[SparkSession]

  override def apply(extensions: SparkSessionExtensions): Unit = {
    ShieldedLoader.shieldServer()
    // Asked where Spark's own parser gives up.
    extensions.injectParser((s, parser) => HiveSyntaxParser(classic(s), parser))
    // Before ResolveRelations: afterwards Spark itself throws "cannot write into a v1 table" without a name
    // of ours, or (saveAsTable) drops the table before any later rule sees it. KeepLocations comes before Spark makes a
    // table with a LOCATION external. A procedure runs as soon as it is resolved.
    SparkLineRules.injectEarly(
      extensions,
      Seq(
        s => ListInsertedColumns(classic(s)),
        s => EvolveTables(classic(s)),
        s => ResolveDataFrameWrites(classic(s)),
        s => SpecifyTransactional(classic(s)),
        s => KeepLocations(classic(s)),
        s => RefuseAlterations(classic(s)),
        s => RefuseReadOptions(classic(s)),
        s => GuardProcedures(classic(s))
      )
    )
    // Again in the round in which Spark computes the name of a table (IDENTIFIER), which it looks up in the next one.
    extensions.injectResolutionRule(s => RefuseAlterations(classic(s)))
    extensions.injectResolutionRule(_ => ExplainedStatements)
    // With Spark's own resolution rules: SELECT must see our relation before Spark converts it to its own ORC reader,
    // DELETE must be taken before the planner calls it unsupported.
    extensions.injectResolutionRule(s => ResolveAcidRelations(classic(s)))
    extensions.injectResolutionRule(_ => RefuseVirtualColumns)
    extensions.injectResolutionRule(s => ResolveUpdateVariables(classic(s)))
    extensions.injectResolutionRule(s => ResolveRowStatements(classic(s)))
    // After PreprocessTableInsertion and DataSourceAnalysis: all kinds of INSERT are one node by then, columns matched
    // and cast by Spark's store assignment.
    extensions.injectPostHocResolutionRule(s => ReplaceInserts(classic(s)))
    extensions.injectPostHocResolutionRule(s => ReplaceCreationsAsSelect(classic(s)))
    extensions.injectPostHocResolutionRule(s => ReplaceCreationsLike(classic(s)))
    extensions.injectPostHocResolutionRule(s => CreateForeignTables(classic(s)))
    extensions.injectPostHocResolutionRule(_ => ForeignCatalogStatements)
    // After ResolveSessionCatalog, which makes them Spark's own commands for tables of the session catalog.
    extensions.injectPostHocResolutionRule(s => LockAlterations(classic(s)))
    extensions.injectPostHocResolutionRule(s => PlaceNewTables(classic(s)))
    extensions.injectPostHocResolutionRule(s => GuardRule(classic(s)))
    // Last: whatever still touches a transactional table by a node that is not ours.
    extensions.injectCheckRule(s => Guard(classic(s)))
    extensions.injectCheckRule(s => GuardTimeZones(classic(s)))
    // Before Spark's own strategies: files that only Hive's SerDes read are no files of Spark's file sources.
    extensions.injectPlannerStrategy(s => PlanSerdeScans(classic(s)))
    extensions.injectPlannerStrategy(_ => PlanBoundQueries)
    extensions.injectPlannerStrategy(_ => PlainRowChanges)
    extensions.injectPlannerStrategy(s => PlanExplainedStatements(classic(s)))
    SparkLineShuffles.install(extensions)
    // In physical plans, whose scans are what reads files.
    extensions.injectColumnar(_ => QuietScans)
    // In the optimizer, which each query passes once with all its subqueries, before its physical plan lists files.
    extensions.injectOptimizerRule(_ => BindQueries)
    // In the optimizer, because a DataFrame or temporary view is analysed long before it is read.
    extensions.injectOptimizerRule(s => GuardStalePlans(classic(s)))
    // In the optimizer, where plans show which of their parts come from a cache.
    extensions.injectOptimizerRule(s => RefuseCachesInTransactions(classic(s)))
  }
}
