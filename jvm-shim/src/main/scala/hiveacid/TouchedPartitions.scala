package hiveacid

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, InterpretedMutableProjection, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project, Union}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** The partitions that a statement can touch, as far as its plan tells before it runs: Python locks these instead of
  * the table. Nothing is read but the names of partitions.
  */
object TouchedPartitions {

  /** @param changes
    *   the row-change plan, bound to the statement's snapshot
    * @return
    *   names of partitions, perhaps more than will be touched; None if they cannot be told
    */
  def find(session: SparkSession, command: AcidWriteCommand, changes: LogicalPlan): Option[Seq[String]] =
    changes match {
      case _ if command.writes == orc.InsertKind.name => written(session, command.target, changes)
      case _ if command.stays                         => scanned(session, command.target, changes)
      case Union(Seq(deletes, inserts), _, _) if command.kind == "replace" && reads(command.target, changes) == 1 =>
        for {
          old <- scanned(session, command.target, deletes)
          latest <- written(session, command.target, inserts)
        } yield (old ++ latest).distinct
      case _ => None
    }

  /** Where new rows go, if each row's partition is known without running the query. */
  private def written(session: SparkSession, target: CatalogTable, changes: LogicalPlan): Option[Seq[String]] = {
    val keys = changes.output.takeRight(target.partitionColumnNames.length)
    val values = session.sessionState.executePlan(Project(keys, changes)).optimizedPlan match {
      case l: LocalRelation                            => Some(l.data)
      case Project(list, _) if list.forall(isConstant) =>
        Some(Seq(InternalRow.fromSeq(list.collect { case Alias(value, _) => value.eval(InternalRow.empty) })))
      case _ => None
    }
    val zone = session.sessionState.conf.sessionLocalTimeZone
    val name = orc.PartitionNames.name(keys, AcidTables.partitionKeys(target), zone)
    val projection = new InterpretedMutableProjection(Seq(name), keys)
    values.map(_.map(projection(_).getUTF8String(0).toString).distinct)
  }

  private def isConstant(e: Expression): Boolean = e match {
    case Alias(value, _) => value.foldable
    case _               => false
  }

  /** What the filters of the one scan of the target leave. A target that is read twice is locked as a whole. */
  private def scanned(session: SparkSession, target: CatalogTable, changes: LogicalPlan): Option[Seq[String]] = {
    if (reads(target, changes) != 1) None
    else
      session.sessionState.executePlan(changes).sparkPlan.collectFirst {
        case scan: FileSourceScanExec if scan.tableIdentifier.contains(target.identifier) =>
          val filters = scan.partitionFilters.filter(f => f.deterministic && !SubqueryExpression.hasSubquery(f))
          scan.relation.location.asInstanceOf[AcidFileIndex].survivingPartitions(filters)
      }
  }

  /** How often the plan reads the target. */
  private def reads(target: CatalogTable, changes: LogicalPlan): Int = {
    val name = AcidTables.name(target)
    changes.collectWithSubqueries {
      case l @ LogicalRelation(_: HadoopFsRelation, _, _, _, _) if l.catalogTable.exists(AcidTables.name(_) == name) =>
        l
    }.length
  }
}
