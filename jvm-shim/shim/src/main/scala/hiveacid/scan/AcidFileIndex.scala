package hiveacid.scan

import hiveacid.errors.QuietPaths
import hiveacid.values.{AcidTable, BucketProperty, PartitionValues}
import hiveacid.wire.{PartitionScan, RawIds, ReadRequest, ReadTable, ScanFile, ScanRequest, TableScan, Wire}
import hiveacid.formats.{Evolution, ReadErrors, SharedText, TransactionalFileFormat, ValueUse}
import hiveacid.formats.json.TableJsonFileFormat
import hiveacid.formats.orc.{AcidOrcFileFormat, FilePruning, RawRows, TableOrcFileFormat}
import hiveacid.python.{PythonApi, PythonSide, PythonThreads}
import hiveacid.read.FormatChoice
import org.apache.hadoop.fs.{FileStatus, Path}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{FileIndex, FileStatusWithMetadata, PartitionDirectory}
import org.apache.spark.sql.hiveacid.RowAccess
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** The files of a transactional table, found when a scan is planned for execution, not before: EXPLAIN opens no
  * transaction. Python decides which files a snapshot holds; this index asks, prunes partitions by Spark's typed
  * predicates and hands each task what it needs to find its delete files.
  *
  * Two indexes of one table are equal, so that CACHE TABLE and plan reuse work; one that is bound to a statement's
  * snapshot, or to that of a query, equals none but those of the same snapshot.
  *
  * @param timeZone
  *   the session's when the plan was made, in which it reads TIMESTAMPs: those of the files and those of the partitions
  * @param token
  *   of the statement in whose snapshot it reads
  * @param query
  *   which decides the snapshot where it is not a statement's
  * @param isWritten
  *   the target of an INSERT
  * @param only
  *   the names of the partitions that are read; None for all
  * @param withRowIds
  *   for a scan that asks for ROW__ID
  */
final case class AcidFileIndex(
    @transient session: SparkSession,
    table: CatalogTable,
    timeZone: String,
    token: Option[String] = None,
    query: Option[QuerySnapshot] = None,
    isWritten: Boolean = false,
    only: Option[Set[String]] = None,
    withRowIds: Boolean = false
) extends FileIndex {
  private val name = AcidTable.name(table)

  /** The name of the table's catalog, if that has a metastore of its own. */
  val foreignCatalog: Option[String] = AcidTable.foreignCatalog(table)
  private val analysed = AnalysedTables.describe(table)

  override val partitionSchema: StructType = table.partitionSchema
  // an INSERT OVERWRITE may read its target, for it writes beside what it reads; Spark compares these paths to refuse it
  // and shows them in plans
  override def rootPaths: Seq[Path] = {
    val root = if (QuietPaths.areKept) new Path("/", name) else new Path(table.location)
    Seq(if (isWritten) new Path(root, "_written") else root)
  }
  override def inputFiles: Array[String] = Array.empty
  override def refresh(): Unit = ()
  override def sizeInBytes: Long =
    table.stats.map(_.sizeInBytes.toLong).getOrElse(session.sessionState.conf.defaultSizeInBytes)

  override def equals(other: Any): Boolean = other match {
    case i: AcidFileIndex => i.identity == identity
    case _                => false
  }
  override def hashCode(): Int = identity.hashCode
  override def toString: String = s"AcidFileIndex($name)"
  private def identity = (foreignCatalog, analysed, timeZone, token, query, only, withRowIds)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] = {
    val directories = list(partitionFilters).map { case (_, directory) => directory }
    pruning(RowAccess.pushedFilters(dataFilters)).fold(directories) { pruning =>
      val left = pruning.survivors(directories.flatMap(_.files)).map(_.getPath).toSet
      directories.map(d => d.copy(files = d.files.filter(f => left(f.getPath))))
    }
  }

  /** None where files are read whose footers say nothing of their values, or nothing may be skipped by them. */
  private def pruning(filters: Seq[Filter]): Option[FilePruning] =
    FormatChoice
      .of(table)
      .toOption
      .filter(_ => session.sessionState.conf.orcFilterPushDown)
      .collect {
        case FormatChoice.AcidOrc => false
        case FormatChoice.FlatOrc => true
      }
      .map { isFlat =>
        val conf = TableOrcFileFormat.readConf(session.sessionState.newHadoopConf())
        new FilePruning(table.dataSchema, filters, isFlat, conf, ReadErrors(name))
      }

  /** The same by the names of partitions; the name is empty in a flat table. */
  def list(partitionFilters: Seq[Expression]): Seq[(String, PartitionDirectory)] = {
    val api = PythonSide.apiFor(session, table)
    val reader = query.getOrElse(QuerySnapshot.fresh())
    // names and files are asked for under one key, so that both are of one snapshot
    val snapshot = token.fold(reader.ofScan(session, table))(ReadSnapshot.ofStatement)
    val holder = if (snapshot.isLoose) Some(reader) else None
    val partitions = if (partitionSchema.isEmpty) None else Some(survivors(api, snapshot, partitionFilters))
    val request = scanRequest(snapshot, partitions.map(_.keys.toSeq))
    val scan = PythonSide.message[TableScan](PythonThreads.ask(session)(api.scan(Wire.write(request))))
    if (token.isEmpty) reader.listed()
    val writeIds +: deletes =
      SharedText.of(session.sparkContext, scan.writeIds +: scan.partitions.map(p => Wire.write(p.deletes)))
    scan.partitions.zip(deletes).map { case (partition, described) =>
      val values = partitions.fold(InternalRow.empty)(_(partition.name))
      partition.name -> PartitionDirectory(values, files(partition, described, scan, writeIds, holder))
    }
  }

  /** Names of the partitions that the filters leave in the statement's snapshot. */
  def survivingPartitions(filters: Seq[Expression]): Seq[String] =
    survivors(PythonSide.apiFor(session, table), ReadSnapshot.ofStatement(token.get), filters).keys.toSeq

  private def scanRequest(snapshot: ReadSnapshot, partitions: Option[Seq[String]]): ScanRequest = {
    val isJson = FormatChoice.of(table).contains(FormatChoice.Json)
    ScanRequest(readRequest(snapshot), partitions, rowIds = withRowIds, json = isJson)
  }

  private def readRequest(snapshot: ReadSnapshot): ReadRequest = {
    val together = query.fold(Set.empty[String])(_.tablesOf(foreignCatalog)) + name
    ReadRequest(ReadTable(analysed, together.toSeq), snapshot.transaction, snapshot.key, PythonSide.settings(session))
  }

  /** Partition name to typed values, of the partitions that the filters leave. */
  private def survivors(api: PythonApi, snapshot: ReadSnapshot, filters: Seq[Expression]): Map[String, InternalRow] = {
    val request = Wire.write(readRequest(snapshot))
    val found = PythonSide.message[Seq[String]](PythonThreads.ask(session)(api.partitionNames(request)))
    val names = found.filter(n => only.forall(_.contains(n)))
    val values = PartitionValues(table, timeZone)
    val all = names.map(n => n -> values.of(n)).toMap
    filters.reduceOption(And).fold(all) { filter =>
      val bound = filter.transform { case a: AttributeReference =>
        val i = partitionSchema.indexWhere(_.name.equalsIgnoreCase(a.name))
        BoundReference(i, partitionSchema(i).dataType, nullable = true)
      }
      val predicate = Predicate.createInterpreted(bound)
      all.filter { case (_, row) => predicate.eval(row) }
    }
  }

  /** @param deletes
    *   the partition's deletes, as text or a reference to it
    * @param writeIds
    *   the scan's list, likewise
    */
  private def files(
      partition: PartitionScan,
      deletes: Any,
      scan: TableScan,
      writeIds: Any,
      holder: Option[QuerySnapshot]
  ): Seq[FileStatusWithMetadata] = {
    val evolution = Evolution.of(scan.evolution).format
    partition.folders.flatMap { folder =>
      val metadata = Map.newBuilder[String, Any]
      if (folder.deletes) {
        metadata += AcidOrcFileFormat.DeletesKey -> deletes
        if (partition.deletes.isChecked) metadata += AcidOrcFileFormat.DeletesCheckKey -> writeIds
      }
      if (folder.check) metadata += AcidOrcFileFormat.CheckKey -> writeIds
      metadata += Evolution.Key -> evolution
      scan.jsonRelease.foreach(metadata += TableJsonFileFormat.ReleaseKey -> _)
      holder.foreach(metadata += AcidFileIndex.QueryKey -> _)
      metadata += AcidOrcFileFormat.WriteIdsKey -> s"${folder.minWriteId},${folder.maxWriteId}"
      val constants = metadata.result()
      folder.files.map { file =>
        val path = new Path(s"${folder.path}/${file.path}")
        val status = new FileStatus(file.lengthBytes, false, 1, AcidFileIndex.BlockBytes, file.modifiedMs, path)
        val raw = folder.raw.map(ids => AcidOrcFileFormat.RawKey -> AcidFileIndex.rawRows(ids, file).format)
        FileStatusWithMetadata(status, constants ++ raw)
      }
    }
  }
}

object AcidFileIndex {

  /** Key of a file's constant metadata: the query for which it was listed, outside of executions. */
  val QueryKey = "hiveacid.query"

  private val BlockBytes = 128L << 20

  private def rawRows(ids: RawIds, file: ScanFile): RawRows =
    RawRows(ids.writeId, BucketProperty.encode(file.bucket, ids.statementId), file.firstRow)

  /** The plan with every scan of a transactional table of the target's catalog, also in subqueries, bound to one
    * snapshot. Scans of other catalogs have snapshots of their metastores.
    *
    * @param use
    *   what becomes of the values that are read of the target
    */
  def bind(plan: LogicalPlan, target: CatalogTable, token: String, use: ValueUse = ValueUse.Shown): LogicalPlan =
    plan.transformUpWithSubqueries {
      case AcidScan(l, fs, index) if index.foreignCatalog == AcidTable.foreignCatalog(target) =>
        val format = fs.fileFormat match {
          case f: TransactionalFileFormat if f.table == AcidTable.name(target) => f.usedFor(use)
          case other                                                           => other
        }
        AcidScan(l, fs.copy(fileFormat = format)(fs.sparkSession), index.copy(token = Some(token), query = None))
    }

  /** The plan of a table's rows, without those in other partitions than these. */
  def restrict(plan: LogicalPlan, partitions: Set[String]): LogicalPlan = plan.transform {
    case AcidScan(l, fs, index) => AcidScan(l, fs, index.copy(only = Some(partitions)))
  }

  /** Transactional tables that the plan reads, as often as they were looked up. */
  def tables(plan: LogicalPlan): Seq[CatalogTable] = plan.collectWithSubqueries { case AcidScan(l, _, _) =>
    l.catalogTable.get
  }

  /** The same for tables of one catalog, the one that has this table. */
  def tablesBeside(table: CatalogTable, plan: LogicalPlan): Seq[CatalogTable] =
    tables(plan).filter(AcidTable.foreignCatalog(_) == AcidTable.foreignCatalog(table))
}
