package hiveacid.write

import java.io.IOException
import java.time.ZoneOffset

import scala.util.control.NonFatal

import hiveacid.errors.{AcidException, QuietPaths, StorageFailure}
import hiveacid.formats.NewFiles
import hiveacid.formats.orc.RowSetter
import hiveacid.values.{DeleteKind, InsertKind, WallClock}
import hiveacid.wire.{RowCounts, WriteResult, WriteSpec, WrittenFolder}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, FSError, Path}
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector
import org.apache.orc.TypeDescription

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{QueryExecution, SQLExecution}
import org.apache.spark.sql.hiveacid.SparkLineShuffles
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.SerializableConfiguration

/** Writes the row changes of a statement into folders below a staging folder, in one Spark job. Moving the folders to
  * where they are seen is left to the caller.
  */
object WriteJob extends Logging {

  /** @param changes
    *   an analysed plan with the columns `__change` TINYINT, `__row_id` STRUCT<writeid, bucketid, rowid>, but for
    *   inserts the old row's partition columns, but for deletes the target's data columns in order and in their types,
    *   and for inserts and mixed changes its partition columns; columns are taken by position
    * @param check
    *   throws if the plan must not be executed that Spark has made of `changes`; nothing is read before
    * @return
    *   folders and files sorted by name; `staging/partition/name/file` exists for each, unless the job discards them
    */
  def run(
      session: SparkSession,
      changes: LogicalPlan,
      message: WriteSpec,
      check: (LogicalPlan, QueryExecution) => Unit = (_, _) => ()
  ): WriteResult = {
    val spec = CheckedSpec.of(message)
    val conf = session.sessionState.newHadoopConf()
    val tasks = execute(session, changes, spec, conf, check)
    val files = tasks.flatMap(_.files).sortBy(f => (f.partition, f.folder, f.name))
    if (!spec.place.discards && spec.place.output.id.isEmpty) publish(files, new Path(spec.place.staging), conf)
    report(files, tasks.map(_.counts))
  }

  /** Writes bases without rows, one file in each.
    *
    * @param partitions
    *   names of partitions; one empty name for a flat table
    * @return
    *   as `run`
    */
  def runEmpty(session: SparkSession, partitions: Seq[String], message: WriteSpec): WriteResult = {
    val spec = CheckedSpec.of(message)
    val conf = session.sessionState.newHadoopConf()
    val output = AttemptOutput.ofDriver(spec.place.staging, spec.place.output, conf)
    val files = partitions.map { partition =>
      val name = spec.file(0)
      val bytes = if (spec.place.discards) 0 else writeEmpty(output.file(partition, spec.base, name), conf, spec)
      WrittenFile(output.id, partition, spec.base, name, 0, bytes)
    }
    report(files, Nil)
  }

  /** The length of the file. */
  private def writeEmpty(path: Path, conf: Configuration, spec: CheckedSpec): Long =
    try {
      val writer = spec.layout.empty(path, conf, spec.settings)
      writer.finish()
      writer.bytes
    } catch {
      case e @ (_: IOException | _: FSError) => throw StorageFailure(path, "writing", e)
    }

  private def execute(
      session: SparkSession,
      plan: LogicalPlan,
      spec: CheckedSpec,
      conf: Configuration,
      check: (LogicalPlan, QueryExecution) => Unit
  ): Seq[WrittenTask] = {
    refuseUncheckedShuffles(session)
    val changes = new RowChanges(plan, spec)
    val columnTypes = changes.valueTypes
    if (spec.kind != DeleteKind) checkTypes(columnTypes, spec)
    val isFlatInsert = spec.isFlatInsert
    val wanted = if (isFlatInsert) plan else changes.rows
    val execution = session.sessionState.executePlan(wanted)
    check(wanted, execution)
    // an execution of its own, below the statement's, so that the UI shows the plan of the write
    val title = if (spec.place.discards) "HiveAcid dry run" else "HiveAcid write"
    SQLExecution.withNewExecutionId(execution, Some(title))(SparkLineShuffles.ofWrite(session) {
      val rows = execution.executedPlan
      val input =
        if (isFlatInsert || spec.isUnshuffledInsert) {
          val order = if (isFlatInsert) Nil else changes.order(rows.output)
          WriteInput.direct(rows, order, spec, execution.optimizedPlan.maxRows)
        } else WriteInput.shuffled(session, rows, changes, spec)
      runTasks(session, input, columnTypes, spec, conf)
    })
  }

  private def runTasks(
      session: SparkSession,
      input: WriteInput,
      columnTypes: Seq[DataType],
      spec: CheckedSpec,
      conf: Configuration
  ): Seq[WrittenTask] = {
    val configured = new SerializableConfiguration(conf)
    val (pieces, areSmall) = (input.pieces, input.areSmall)
    val task = (context: TaskContext, rows: Iterator[InternalRow]) => {
      val i = context.partitionId()
      val write = new WriteTask(spec, configured.value, context, pieces(i), areSmall(i))
      spec.kind match {
        case InsertKind if spec.isFlatInsert => write.insert(rows, columnTypes)
        case InsertKind                      => write.insertSorted(rows, columnTypes)
        case _                               => write.change(rows, columnTypes)
      }
    }
    // Spark hands over the result of one attempt per partition, whatever was retried or run twice
    val results = new Array[WrittenTask](pieces.length)
    session.sparkContext.runJob(
      input.rows,
      task,
      pieces.indices,
      (i: Int, task: WrittenTask) => results(i) = task
    )
    results.toSeq
  }

  private def refuseUncheckedShuffles(session: SparkSession): Unit =
    SparkLineShuffles.uncheckedBy(session).foreach { setting =>
      throw AcidException("HIVE_ACID_CONFIGURATION.SHUFFLES_UNCHECKED", Map("setting" -> setting))
    }

  /** Wrong types are found before a task starts. */
  private def checkTypes(columnTypes: Seq[DataType], spec: CheckedSpec): Unit =
    try {
      val rowType = TypeDescription.fromString(spec.rowType)
      val row = new StructColumnVector(1, rowType.createRowBatchV2().cols: _*)
      RowSetter.of(columnTypes, rowType, row, firstColumn = 0, new WallClock(ZoneOffset.UTC))
    } catch {
      case e: IllegalArgumentException => throw AcidException("HIVE_ACID_INTERNAL", Map("reason" -> e.getMessage), e)
    }

  /** Moves the files of the attempts that count to where the job's result lies, and removes the other attempts. */
  private[hiveacid] def publish(files: Seq[WrittenFile], staging: Path, conf: Configuration): Unit = {
    val fs = NewFiles.fileSystem(staging, conf)
    try files.foreach(publish(fs, staging, _))
    catch {
      case e @ (_: IOException | _: FSError) =>
        throw StorageFailure(staging, "moving written files", e)
    }
    removeAttempts(fs, staging)
  }

  private def publish(fs: FileSystem, staging: Path, file: WrittenFile): Unit = {
    val attempt = WriteTask.child(new Path(staging, file.attempt), file.partition)
    val source = new Path(new Path(attempt, file.folder), file.name)
    val folder = new Path(WriteTask.child(staging, file.partition), file.folder)
    val target = new Path(folder, file.name)
    fs.mkdirs(folder)
    if (fs.exists(target)) throw storage(target, "moving a written file", "another task wrote a file of this name")
    if (!fs.rename(source, target))
      throw storage(target, "moving a written file", s"${QuietPaths.show(source)} could not be renamed")
  }

  /** Failed and overtaken attempts left files; so may one that is still being cancelled, below the staging folder that
    * the caller removes. An error's text may quote the folder of a partition, which may be named by a person.
    */
  private def removeAttempts(fs: FileSystem, staging: Path): Unit =
    if (fs.exists(staging))
      fs.listStatus(staging).map(_.getPath).filter(_.getName.startsWith("attempt-")).foreach { attempt =>
        try fs.delete(attempt, true)
        catch {
          case NonFatal(e) =>
            logWarning(s"Could not remove ${QuietPaths.show(attempt)}, which nobody reads: ${e.getClass.getName}")
        }
      }

  private[hiveacid] def report(files: Seq[WrittenFile], counts: Seq[RowCounter]): WriteResult = {
    val folders = files.groupBy(f => (f.partition, f.folder)).toSeq.sortBy(_._1)
    val written = folders.map { case ((partition, name), inFolder) =>
      val sizes = inFolder.map(_.bytes)
      val names = inFolder.map(_.name)
      WrittenFolder(name, inFolder.map(_.rows).sum, sizes.sum, names, partition, sizes, inFolder.map(_.attempt))
    }
    val rows = RowCounts(counts.map(_.inserted).sum, counts.map(_.updated).sum, counts.map(_.deleted).sum, replaced = 0)
    WriteResult(written, rows)
  }

  private def storage(path: Path, action: String, reason: String): AcidException =
    AcidException("HIVE_ACID_STORAGE", Map("path" -> QuietPaths.show(path), "action" -> action, "reason" -> reason))
}
