package hiveacid.orc

import java.time.ZoneOffset

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import hiveacid.AcidException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector
import org.apache.orc.TypeDescription

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  BitwiseAnd,
  EqualTo,
  GetStructField,
  If,
  Literal,
  ShiftRightUnsigned,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, RepartitionByExpression, Sort}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.SerializableConfiguration

/** Writes the row changes of a statement into folders below a staging folder, in one Spark job. Moving the folders to
  * where they are seen is left to the caller.
  */
object WriteJob extends Logging {

  /** @param changes
    *   an analysed plan with the columns `__change` TINYINT, `__row_id` STRUCT<writeid, bucketid, rowid> and, but for a
    *   delete, the target's columns in order and in their types; columns are taken by position
    * @param specJson
    *   see [[WriteSpec.parse]]
    * @return
    *   `{"folders": [{"name", "rows", "bytes", "files": [name]}], "inserted": n, "deleted": m}`, folders and files
    *   sorted by name; `staging/name/file` exists for each
    */
  def run(session: SparkSession, changes: LogicalPlan, specJson: String): String = {
    val spec = WriteSpec.parse(specJson)
    val conf = session.sessionState.newHadoopConf()
    val files = execute(session, changes, spec, conf)
    val fs = new Path(spec.staging).getFileSystem(conf)
    files.foreach(publish(fs, spec, _))
    removeAttempts(fs, new Path(spec.staging))
    report(files)
  }

  private def execute(
      session: SparkSession,
      changes: LogicalPlan,
      spec: WriteSpec,
      conf: Configuration
  ): Seq[WrittenFile] = {
    val columnTypes = changes.output.drop(2).map(_.dataType)
    if (spec.kind != DeleteKind) checkTypes(columnTypes, spec)
    val plan = if (spec.kind == InsertKind) changes else sortedVictims(changes, spec.deleteTasks)
    val execution = session.sessionState.executePlan(plan)
    val configured = new SerializableConfiguration(conf)
    val results = scala.collection.mutable.ArrayBuffer.empty[WrittenFile]
    val task = (context: TaskContext, rows: Iterator[InternalRow]) => {
      val write = new WriteTask(spec, configured.value, context)
      spec.kind match {
        case InsertKind => write.insert(rows, columnTypes)
        case UpdateKind => write.update(rows, columnTypes)
        case DeleteKind => write.delete(rows)
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
    results.toSeq.sortBy(f => (f.folder, f.name))
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

  /** `__change, bucket, writeid, bucketid, rowid` and new values: all victims of a bucket in one task, sorted as Hive
    * wants them.
    */
  private def sortedVictims(changes: LogicalPlan, tasks: Int): LogicalPlan = {
    val change +: rowId +: values = changes.output: @unchecked
    val property = Alias(GetStructField(rowId, 1), "bucketid")()
    val version = ShiftRightUnsigned(property.child, Literal(29))
    val encoded = BitwiseAnd(ShiftRightUnsigned(property.child, Literal(16)), Literal(0xfff))
    val bucket = Alias(If(EqualTo(version, Literal(1)), encoded, property.child), "bucket")()
    val key =
      Seq(bucket, Alias(GetStructField(rowId, 0), "writeid")(), property, Alias(GetStructField(rowId, 2), "rowid")())
    // an explicit number of partitions, which adaptive execution leaves alone
    val shuffled = RepartitionByExpression(Seq(bucket.toAttribute), Project(change +: key ++: values, changes), tasks)
    Sort(key.map(k => SortOrder(k.toAttribute, Ascending)), global = false, shuffled)
  }

  private def publish(fs: FileSystem, spec: WriteSpec, file: WrittenFile): Unit = {
    val staging = new Path(spec.staging)
    val source = new Path(new Path(new Path(staging, file.attempt), file.folder), file.name)
    val folder = new Path(staging, file.folder)
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
    files.groupBy(_.folder).toSeq.sortBy(_._1).foreach { case (name, inFolder) =>
      val node = folders.addObject().put("name", name)
      node.put("rows", inFolder.map(_.rows).sum).put("bytes", inFolder.map(_.bytes).sum)
      val names = node.putArray("files")
      inFolder.foreach(f => names.add(f.name))
    }
    val (deletes, inserts) = files.partition(_.deletes)
    root.put("inserted", inserts.map(_.rows).sum)
    root.put("deleted", deletes.map(_.rows).sum)
    root.toString
  }

  private def storage(path: Path, action: String, reason: String): AcidException =
    AcidException("HIVE_ACID_STORAGE", Map("path" -> path.toString, "action" -> action, "reason" -> reason))
}
