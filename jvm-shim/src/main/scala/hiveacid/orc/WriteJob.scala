package hiveacid.orc

import java.io.IOException
import java.time.ZoneOffset

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import hiveacid.AcidException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSError, FileSystem, Path}
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector
import org.apache.orc.TypeDescription

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  BitwiseAnd,
  Cast,
  Concat,
  EqualTo,
  Expression,
  GetStructField,
  If,
  Literal,
  ScalaUDF,
  ShiftRightUnsigned,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, RepartitionByExpression, Sort}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.util.SerializableConfiguration

/** Writes the row changes of a statement into folders below a staging folder, in one Spark job. Moving the folders to
  * where they are seen is left to the caller.
  */
object WriteJob extends Logging {

  /** @param changes
    *   an analysed plan with the columns `__change` TINYINT, `__row_id` STRUCT<writeid, bucketid, rowid>, for deletes
    *   and updates the old row's partition columns, and but for deletes the target's columns in order and in their
    *   types (an insert's partition columns last); columns are taken by position
    * @param specJson
    *   see [[WriteSpec.parse]]
    * @return
    *   `{"folders": [{"partition", "name", "rows", "bytes", "files": [name]}], "inserted": n, "deleted": m}`, folders
    *   and files sorted by name; `staging/partition/name/file` exists for each
    */
  def run(session: SparkSession, changes: LogicalPlan, specJson: String): String = {
    val spec = WriteSpec.parse(specJson)
    val conf = session.sessionState.newHadoopConf()
    val files = execute(session, changes, spec, conf)
    val fs = new Path(spec.staging).getFileSystem(conf)
    try files.foreach(publish(fs, spec, _))
    catch {
      case e @ (_: IOException | _: FSError) =>
        throw storage(new Path(spec.staging), "moving written files", String.valueOf(e.getMessage), e)
    }
    removeAttempts(fs, new Path(spec.staging))
    report(files)
  }

  private def execute(
      session: SparkSession,
      changes: LogicalPlan,
      spec: WriteSpec,
      conf: Configuration
  ): Seq[WrittenFile] = {
    val columnTypes = valuesOf(changes, spec).map(_.dataType)
    if (spec.kind != DeleteKind) checkTypes(columnTypes, spec)
    val plan = spec.kind match {
      case InsertKind if spec.isPartitioned => sortedInserts(changes, spec)
      case InsertKind                       => changes
      case _                                => sortedVictims(changes, spec)
    }
    val execution = session.sessionState.executePlan(plan)
    val configured = new SerializableConfiguration(conf)
    val results = scala.collection.mutable.ArrayBuffer.empty[WrittenFile]
    val task = (context: TaskContext, rows: Iterator[InternalRow]) => {
      val write = new WriteTask(spec, configured.value, context)
      spec.kind match {
        case InsertKind if spec.isPartitioned => write.insertPartitioned(rows, columnTypes)
        case InsertKind                       => write.insert(rows, columnTypes)
        case UpdateKind                       => write.update(rows, columnTypes)
        case DeleteKind                       => write.delete(rows)
      }
    }
    // an execution of its own, below the statement's, so that the UI shows the plan of the write
    SQLExecution.withNewExecutionId(execution, Some("HiveAcid write")) {
      val rdd = execution.toRdd
      // Spark hands over the result of one attempt per partition, whatever was retried or run twice
      session.sparkContext.runJob(
        rdd,
        task,
        rdd.partitions.indices,
        (_: Int, files: Seq[WrittenFile]) => results.synchronized { results ++= files }
      )
    }
    results.toSeq.sortBy(f => (f.partition, f.folder, f.name))
  }

  /** Wrong types are found before a task starts. */
  private def checkTypes(columnTypes: Seq[DataType], spec: WriteSpec): Unit =
    try {
      val rowType = TypeDescription.fromString(spec.rowType)
      val row = new StructColumnVector(1, rowType.createRowBatchV2().cols: _*)
      InsertFileWriter.setters(columnTypes, rowType, row, new WallClock(ZoneOffset.UTC))
    } catch {
      case e: IllegalArgumentException => throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> e.getMessage), e)
    }

  /** The new values among the columns: an insert's partition columns come last, an old row's right after its ID. */
  private def valuesOf(changes: LogicalPlan, spec: WriteSpec): Seq[Attribute] = {
    val columns = changes.output.drop(2)
    if (spec.kind == InsertKind) columns.dropRight(spec.partitionColumns.length)
    else columns.drop(spec.partitionColumns.length)
  }

  private def partitionOf(changes: LogicalPlan, spec: WriteSpec): Alias = {
    val columns = changes.output.drop(2)
    val keys =
      if (spec.kind == InsertKind) columns.takeRight(spec.partitionColumns.length)
      else columns.take(spec.partitionColumns.length)
    Alias(partitionName(keys, spec.partitionColumns, spec.timeZone), "partition")()
  }

  /** The metastore's name of the partition with these values, `k=v/…`; empty without keys. `names` are in lower case.
    */
  def partitionName(keys: Seq[Attribute], names: Seq[String], timeZone: String): Expression = {
    val parts = names.zip(keys).map { case (name, key) =>
      // Spark's own escaping, which is Hive's (FileUtils.escapePathName)
      val text = Cast(key, StringType, Some(timeZone))
      ScalaUDF(ExternalCatalogUtils.getPartitionPathString _, StringType, Seq(Literal(name), text))
    }
    val separated = parts.flatMap(part => Seq(Literal("/"), part)).drop(1)
    if (separated.isEmpty) Literal("") else Concat(separated)
  }

  /** `__change, partition` and the values: all rows of a partition in one task, which writes one file for them. */
  private def sortedInserts(changes: LogicalPlan, spec: WriteSpec): LogicalPlan = {
    val partition = partitionOf(changes, spec)
    val rows = Project(Seq(changes.output.head, partition) ++ valuesOf(changes, spec), changes)
    val shuffled = RepartitionByExpression(Seq(partition.toAttribute), rows, None)
    Sort(Seq(SortOrder(partition.toAttribute, Ascending)), global = false, shuffled)
  }

  /** `__change, partition, bucket, writeid, bucketid, rowid` and new values: all victims of a partition's bucket in one
    * task, sorted as Hive wants them.
    */
  private def sortedVictims(changes: LogicalPlan, spec: WriteSpec): LogicalPlan = {
    val change +: rowId +: _ = changes.output: @unchecked
    val partition = partitionOf(changes, spec)
    val property = Alias(GetStructField(rowId, 1), "bucketid")()
    val version = ShiftRightUnsigned(property.child, Literal(29))
    val encoded = BitwiseAnd(ShiftRightUnsigned(property.child, Literal(16)), Literal(0xfff))
    val bucket = Alias(If(EqualTo(version, Literal(1)), encoded, property.child), "bucket")()
    val (writeId, row) = (Alias(GetStructField(rowId, 0), "writeid")(), Alias(GetStructField(rowId, 2), "rowid")())
    val key = Seq(partition, bucket, writeId, property, row)
    val rows = Project(change +: key ++: valuesOf(changes, spec), changes)
    // an explicit number of partitions, which adaptive execution leaves alone
    val shuffled = RepartitionByExpression(key.take(2).map(_.toAttribute), rows, spec.deleteTasks)
    Sort(key.map(k => SortOrder(k.toAttribute, Ascending)), global = false, shuffled)
  }

  private def publish(fs: FileSystem, spec: WriteSpec, file: WrittenFile): Unit = {
    val staging = new Path(spec.staging)
    val attempt = WriteTask.child(new Path(staging, file.attempt), file.partition)
    val source = new Path(new Path(attempt, file.folder), file.name)
    val folder = new Path(WriteTask.child(staging, file.partition), file.folder)
    val target = new Path(folder, file.name)
    fs.mkdirs(folder)
    if (fs.exists(target)) throw storage(target, "moving a written file", "another task wrote a file of this name")
    if (!fs.rename(source, target)) throw storage(target, "moving a written file", s"$source could not be renamed")
  }

  /** Failed and overtaken attempts left files; so may one that is still being cancelled, below the staging folder that
    * the caller removes.
    */
  private def removeAttempts(fs: FileSystem, staging: Path): Unit =
    if (fs.exists(staging))
      fs.listStatus(staging).map(_.getPath).filter(_.getName.startsWith("attempt-")).foreach { attempt =>
        try fs.delete(attempt, true)
        catch { case NonFatal(e) => logWarning(s"Could not remove $attempt, which nobody reads", e) }
      }

  private def report(files: Seq[WrittenFile]): String = {
    val root = new ObjectMapper().createObjectNode()
    val folders = root.putArray("folders")
    files.groupBy(f => (f.partition, f.folder)).toSeq.sortBy(_._1).foreach { case ((partition, name), inFolder) =>
      val node = folders.addObject().put("partition", partition).put("name", name)
      node.put("rows", inFolder.map(_.rows).sum).put("bytes", inFolder.map(_.bytes).sum)
      val names = node.putArray("files")
      inFolder.foreach(f => names.add(f.name))
    }
    val (deletes, inserts) = files.partition(_.deletes)
    root.put("inserted", inserts.map(_.rows).sum)
    root.put("deleted", deletes.map(_.rows).sum)
    root.toString
  }

  private def storage(path: Path, action: String, reason: String, cause: Throwable = null): AcidException =
    AcidException("HIVE_ACID_STORAGE", Map("path" -> path.toString, "action" -> action, "reason" -> reason), cause)
}
