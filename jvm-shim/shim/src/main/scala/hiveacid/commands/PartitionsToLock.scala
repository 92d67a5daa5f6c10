package hiveacid.commands

import hiveacid.expressions.NewRowCheck
import hiveacid.scan.{AcidFileIndex, BoundQuery}
import hiveacid.values.{AcidTable, InsertKind, PartitionNames}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project, Union}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.hiveacid.RelationOfFiles

/** The partitions that a statement can touch, as far as its plan tells before it runs: Python locks these instead of
  * the table. Nothing is read but the names of partitions.
  */
object PartitionsToLock {

  /** @param changes
    *   the row-change plan, bound to the statement's snapshot
    * @return
    *   names of partitions, perhaps more than will be touched; None if they cannot be told
    */
  def find(session: SparkSession, command: AcidWriteCommand, changes: LogicalPlan): Option[Seq[String]] =
    changes match {
      case _ if command.writes == InsertKind && !command.kind.traits.changesRows =>
        written(session, command.target, changes)
      case _ if command.writes == InsertKind => readAndWritten(session, command, changes, changes)
      case _ if command.stays                => scanned(session, command.target, changes)
      case Union(Seq(deletes, inserts), _, _) if command.kind.traits.isUnion && reads(command.target, changes) == 1 =>
        readAndWritten(session, command, deletes, inserts)
      case _ => None
    }

  /** The partitions of a statement that is decided by rows which others may add: those that it reads and those that it
    * gives rows to. Two such statements must meet in one if either adds rows that the other would have read. They do
    * where rows go to partitions that are read; and a REPLACE WHERE of one partition gives rows to no other.
    */
  private def readAndWritten(
      session: SparkSession,
      command: AcidWriteCommand,
      read: LogicalPlan,
      inserts: LogicalPlan
  ) =
    for {
      found <- scan(session, command.target, read)
      old = survivors(found)
      latest <- written(session, command.target, inserts)
      if latest.forall(old.contains) || (command.kind.traits.isUnion && isOfOnePartition(command.target, found))
    } yield (old ++ latest).distinct

  private def isOfOnePartition(target: CatalogTable, scan: FileSourceScanExec) = {
    val fixed = scan.partitionFilters.collect {
      case EqualTo(column: Attribute, value) if value.foldable => column.exprId
      case EqualTo(value, column: Attribute) if value.foldable => column.exprId
    }
    fixed.distinct.length == target.partitionColumnNames.length
  }

  /** Where new rows go, if each row's partition is known without running the query. */
  private def written(session: SparkSession, target: CatalogTable, changes: LogicalPlan): Option[Seq[String]] = {
    val keys = changes.output.takeRight(target.partitionColumnNames.length)
    if (isFixed(changes, AttributeSet(keys))) evaluated(session, target, Project(keys, changes)) else None
  }

  /** False if the plan that writes may give these columns values that this one has not: Spark evaluates a plan of a few
    * constants while it optimizes it, also functions that give another value each time.
    */
  private def isFixed(plan: LogicalPlan, columns: AttributeSet): Boolean = plan match {
    case _ if columns.isEmpty => true // constants, of which it is but asked whether there are rows
    case Project(list, child) =>
      val used = list.filter(e => columns.contains(e.toAttribute))
      used.forall(isFixed) && isFixed(child, AttributeSet.fromAttributeSets(used.map(_.references)))
    case u: Union =>
      val places = u.output.indices.filter(i => columns.contains(u.output(i)))
      u.children.forall(child => hasFixedRows(child) && isFixed(child, AttributeSet(places.map(child.output(_)))))
    case other =>
      val used = columns ++ other.references
      val isOnly = other.children.length == 1
      other.expressions.forall(isFixed) && other.children.forall { child =>
        isFixed(child, AttributeSet(if (isOnly) child.output.filter(used.contains) else child.output))
      }
  }

  private def hasFixedRows(plan: LogicalPlan): Boolean =
    !plan.exists(p => !p.isInstanceOf[Project] && !p.expressions.forall(isFixed))

  /** A check of ours gives one value, or fails. */
  private def isFixed(e: Expression): Boolean = !e.exists { part =>
    !part.deterministic && part.children.forall(_.deterministic) && !part.isInstanceOf[NewRowCheck]
  }

  private def evaluated(session: SparkSession, target: CatalogTable, plan: Project): Option[Seq[String]] = {
    val keys = plan.output
    val optimized = session.sessionState.executePlan(plan).optimizedPlan match {
      case BoundQuery(child, _) => child // with a source that is read from a cache
      case other                => other
    }
    val values = optimized match {
      case l: LocalRelation                            => Some(l.data)
      case Project(list, _) if list.forall(isConstant) =>
        Some(Seq(InternalRow.fromSeq(list.collect { case Alias(value, _) => value.eval(InternalRow.empty) })))
      case _ => None
    }
    val zone = session.sessionState.conf.sessionLocalTimeZone
    val name = PartitionNames.name(keys, AcidTable.partitionKeys(target), zone, AcidTable.name(target))
    val projection = new InterpretedMutableProjection(Seq(name), keys)
    values.map(_.map(projection(_).getUTF8String(0).toString).distinct)
  }

  private def isConstant(e: Expression): Boolean = e match {
    case Alias(value, _) => value.foldable
    case _               => false
  }

  /** The partitions that the filters of the one scan of the target leave. A target that is read twice is locked as a
    * whole.
    */
  private def scanned(session: SparkSession, target: CatalogTable, changes: LogicalPlan): Option[Seq[String]] =
    scan(session, target, changes).map(survivors)

  private def survivors(scan: FileSourceScanExec): Seq[String] = {
    val filters = scan.partitionFilters.filter(f => f.deterministic && !SubqueryExpression.hasSubquery(f))
    scan.relation.location.asInstanceOf[AcidFileIndex].survivingPartitions(filters)
  }

  private def scan(session: SparkSession, target: CatalogTable, changes: LogicalPlan): Option[FileSourceScanExec] =
    if (reads(target, changes) != 1) None
    else
      session.sessionState.executePlan(changes).sparkPlan.collectFirst {
        case scan: FileSourceScanExec if scan.tableIdentifier.contains(target.identifier) => scan
      }

  /** How often the plan reads the target. */
  private def reads(target: CatalogTable, changes: LogicalPlan): Int = {
    val key = AcidTable.key(target)
    changes.collectWithSubqueries {
      case RelationOfFiles(l, _) if l.catalogTable.exists(AcidTable.key(_) == key) =>
        l
    }.length
  }
}
