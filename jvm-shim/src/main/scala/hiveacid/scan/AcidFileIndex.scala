package hiveacid.scan

import scala.jdk.CollectionConverters._

import hiveacid.values.AcidTable
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import hiveacid.errors.AcidException
import hiveacid.formats.Evolution
import hiveacid.formats.json.TableJsonFileFormat
import hiveacid.formats.orc.{AcidOrcFileFormat, RawRows}
import hiveacid.python.{Planner, PythonSide, PythonThreads}
import org.apache.hadoop.fs.{FileStatus, Path}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  HadoopFsRelation,
  LogicalRelation,
  PartitionDirectory
}
import org.apache.spark.sql.types.StructType

/** The files of a transactional table, found when a scan is planned for execution, not before: EXPLAIN opens no
  * transaction. Which files a snapshot holds is Python's decision; this index asks, prunes partitions by Spark's typed
  * predicates and hands each task what it needs to find its delete files.
  *
  * Two indexes of one table are equal, so that CACHE TABLE and plan reuse work; one that is bound to a statement's
  * snapshot (`token`) equals none but those of the same snapshot.
  */
final class AcidFileIndex(
    @transient session: SparkSession,
    table: CatalogTable,
    val token: Option[String],
    val queryKey: Option[QueryKey] = None,
    isWritten: Boolean = false,
    only: Option[Set[String]] = None,
    val withRowIds: Boolean = false
) extends FileIndex {
  private val name = AcidTable.name(table)
  private val analysed = AnalysedTable.describe(table)

  override val partitionSchema: StructType = table.partitionSchema
  // an INSERT OVERWRITE may read its target, for it writes beside what it reads; Spark compares these paths to refuse it
  override def rootPaths: Seq[Path] =
    Seq(if (isWritten) new Path(new Path(table.location), "_written") else new Path(table.location))
  override def inputFiles: Array[String] = Array.empty
  override def refresh(): Unit = ()
  override def sizeInBytes: Long =
    table.stats.map(_.sizeInBytes.toLong).getOrElse(session.sessionState.conf.defaultSizeInBytes)

  override def equals(other: Any): Boolean = other match {
    case i: AcidFileIndex => i.identity == identity
    case _                => false
  }
  override def hashCode(): Int = identity.hashCode
  private def identity = (analysed, token, queryKey, only, withRowIds)

  def bound(to: String): AcidFileIndex = new AcidFileIndex(session, table, Some(to), withRowIds = withRowIds)
  def ofQuery(key: QueryKey): AcidFileIndex =
    new AcidFileIndex(session, table, token, Some(key), withRowIds = withRowIds)

  /** Of all partitions only those of these names. */
  def ofPartitions(names: Set[String]): AcidFileIndex =
    new AcidFileIndex(session, table, token, only = Some(names), withRowIds = withRowIds)

  /** The same for a scan that asks for ROW__ID. */
  def ofRowIds: AcidFileIndex = new AcidFileIndex(session, table, token, queryKey, isWritten, only, withRowIds = true)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    list(partitionFilters).map { case (_, directory) => directory }

  /** The same by the names of partitions; the name is empty in a flat table. */
  def list(partitionFilters: Seq[Expression]): Seq[(String, PartitionDirectory)] = {
    val planner = PythonSide.plannerFor(name)
    // names and files are asked for under one key, so that both are of one snapshot
    val snapshot = token.orElse(SessionTransactions.running(session.sparkContext))
    // an RDD's scans carry no sign of whose they are, and would read another snapshot than the transaction's
    if (snapshot.isEmpty && AcidFileIndex.rootExecution(session).isEmpty && SessionTransactions.of(session).isDefined)
      throw AcidException.unsupported("Reading as an RDD within hive_acid.transaction()", name)
    val isLoose = snapshot.isEmpty && AcidFileIndex.rootExecution(session).isEmpty
    val query = if (isLoose) Some(queryKey.getOrElse(QueryKeys.newKey())) else None
    query.foreach(QueryKeys.started)
    val key = query.fold(executionKey)(_.number)
    if (snapshot.isEmpty && !isLoose) ReadListener.started(key)
    val partitions = if (partitionSchema.isEmpty) None else Some(survivors(planner, key, snapshot, partitionFilters))
    val answer =
      PythonSide.text(
        PythonThreads.ask(session)(planner.scan(scanRequest(key, snapshot, partitions.map(_.keys.toSeq))))
      )
    val plan = AcidFileIndex.json.readTree(answer)
    val writeIds = plan.get("writeIds").asText
    val evolution = Evolution.of(plan.get("evolution")).format
    val jsonRelease = Option(plan.get("jsonRelease")).map(_.asText)
    plan.get("partitions").elements.asScala.toSeq.map { partition =>
      val name = partition.get("name").asText
      val values = partitions.fold(InternalRow.empty)(_(name))
      name -> PartitionDirectory(values, files(partition, writeIds, evolution, jsonRelease, query))
    }
  }

  /** Names of the partitions that the filters leave in the statement's snapshot. */
  def survivingPartitions(filters: Seq[Expression]): Seq[String] =
    survivors(PythonSide.plannerFor(name), executionKey, token, filters).keys.toSeq

  /** What a plain read's snapshot is kept under: the root execution, or outside of any the key of its query. */
  private def executionKey: Long =
    AcidFileIndex.rootExecution(session).orElse(queryKey.map(_.number)).getOrElse(QueryKeys.newKey().number)

  private def scanRequest(key: Long, snapshot: Option[String], partitions: Option[Seq[String]]): String = {
    val isJson = FormatChoice.of(table).contains(FormatChoice.Json)
    val node = request(key, snapshot).put("rowIds", withRowIds).put("json", isJson)
    partitions.foreach { names =>
      val array: ArrayNode = node.putArray("partitions")
      names.foreach(n => array.add(n))
    }
    node.toString
  }

  private def request(key: Long, snapshot: Option[String]): ObjectNode = {
    val node = AcidFileIndex.json.createObjectNode()
    node.set[JsonNode]("analysed", analysed)
    val together = node.putArray("together")
    (queryKey.fold(Set.empty[String])(_.tables) + name).foreach(t => together.add(t))
    snapshot.fold(node.put("executionId", key))(node.put("token", _))
    PythonSide.putSettings(node, session)
    node
  }

  /** Partition name to typed values, of the partitions that the filters leave. */
  private def survivors(
      planner: Planner,
      key: Long,
      snapshot: Option[String],
      filters: Seq[Expression]
  ): Map[String, InternalRow] = {
    val names =
      AcidFileIndex.json
        .readTree(PythonSide.text(PythonThreads.ask(session)(planner.partitionNames(request(key, snapshot).toString))))
        .elements
        .asScala
        .map(_.asText)
        .filter(n => only.forall(_.contains(n)))
    val values = PartitionValues(session, table)
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

  private def files(
      partition: JsonNode,
      writeIds: String,
      evolution: String,
      jsonRelease: Option[String],
      query: Option[QueryKey]
  ): Seq[FileStatusWithMetadata] = {
    // one string for all files of a partition: it is serialised once per task
    val deletes = AcidFileIndex.deletes(partition, writeIds)
    partition.get("folders").elements.asScala.toSeq.flatMap { folder =>
      val metadata = Map.newBuilder[String, Any]
      if (folder.get("deletes").asBoolean) metadata += AcidOrcFileFormat.DeletesKey -> deletes
      if (folder.get("check").asBoolean) metadata += AcidOrcFileFormat.CheckKey -> writeIds
      metadata += Evolution.Key -> evolution
      jsonRelease.foreach(metadata += TableJsonFileFormat.ReleaseKey -> _)
      query.foreach(metadata += QueryKeys.Key -> _)
      metadata += AcidOrcFileFormat.WriteIdsKey -> s"${folder.get("first").asLong},${folder.get("last").asLong}"
      val constants = metadata.result()
      folder.get("files").elements.asScala.map { file =>
        val path = new Path(s"${folder.get("path").asText}/${file.get(0).asText}")
        val status =
          new FileStatus(file.get(1).asLong, false, 1, AcidFileIndex.BlockBytes, file.get(2).asLong, path)
        val raw =
          Option(folder.get("writeId")).map(id => AcidOrcFileFormat.RawKey -> AcidFileIndex.raw(id, file).format)
        FileStatusWithMetadata(status, constants ++ raw)
      }
    }
  }
}

object AcidFileIndex {

  /** The root execution, whose scans share a snapshot. */
  def rootExecution(session: SparkSession): Option[Long] =
    Option(session.sparkContext.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY)).map(_.toLong)

  private val json = new ObjectMapper
  private val BlockBytes = 128L << 20

  private def raw(writeId: JsonNode, file: JsonNode): RawRows =
    RawRows(writeId.asLong, file.get(3).asInt, Option(file.get(4)).filterNot(_.isNull).map(_.asLong))

  private def deletes(partition: JsonNode, writeIds: String): String = {
    val node = json.createObjectNode()
    val folders = partition.get("deletes")
    node.put("writeIds", if (folders.elements.asScala.exists(_.get("check").asBoolean)) writeIds else "")
    node.set[JsonNode]("folders", folders)
    node.set[JsonNode]("stamp", partition.get("deleteStamp"))
    node.toString
  }

  /** The plan with every scan of a transactional table, also in subqueries, bound to one snapshot.
    *
    * @param updated
    *   the target of an UPDATE or MERGE: what is read of it is written back
    */
  def bind(plan: LogicalPlan, token: String, updated: Option[String] = None): LogicalPlan =
    plan.transformUpWithSubqueries {
      case l @ LogicalRelation(fs: HadoopFsRelation, _, _, _, _) if fs.location.isInstanceOf[AcidFileIndex] =>
        val index = fs.location.asInstanceOf[AcidFileIndex].bound(token)
        val format = fs.fileFormat match {
          case f: AcidOrcFileFormat if updated.contains(f.table) => f.writingBack
          case other                                             => other
        }
        l.copy(relation = fs.copy(location = index, fileFormat = format)(fs.sparkSession))
    }

  /** The plan of a table's rows, without those in other partitions than these. */
  def restrict(plan: LogicalPlan, partitions: Set[String]): LogicalPlan = plan.transform {
    case l @ LogicalRelation(fs: HadoopFsRelation, _, _, _, _) =>
      val index = fs.location.asInstanceOf[AcidFileIndex].ofPartitions(partitions)
      l.copy(relation = fs.copy(location = index)(fs.sparkSession))
  }

  /** Tables read by the plan, as `db.table`. */
  def tables(plan: LogicalPlan): Seq[String] = {
    val found = plan.collectWithSubqueries {
      case l: LogicalRelation if AcidRelation.isOurs(l) => AcidTable.name(l.catalogTable.get)
    }
    found.distinct
  }
}
