package hiveacid.compact

import scala.collection.mutable.ArrayBuffer
import scala.util.Using

import hiveacid.formats.orc.{CompactedFileWriter, RowKey}
import hiveacid.values.BucketProperty
import hiveacid.write.{AttemptOutput, WriteTask, WrittenFile}
import hiveacid.wire.CompactedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.types.StructType

/** One attempt to make the file of one bucket, or all files of a table that is rebalanced. It writes only below its own
  * attempt folder.
  *
  * Its memory does not grow with the rows, but for which of them are deleted: a bit or two bytes for each of these.
  */
final class CompactionTask(
    spec: CheckedCompaction,
    file: CompactedFile,
    schema: StructType,
    conf: Configuration,
    context: TaskContext,
    openRuns: Int = FoldedGroups.OpenRuns
) {
  private val output = AttemptOutput.of(spec.staging, spec.output, conf, context)
  private val root = new Path(spec.staging, WriteTask.attemptFolder(context))
  private val written = ArrayBuffer.empty[WrittenFile]

  def run(): Seq[WrittenFile] = {
    val rows = new FoldedGroups(spec, file, schema, new Path(root, "spill"), conf, openRuns)
    try if (file.buckets > 0) rebalance(rows) else fold(rows)
    catch { case failure: Throwable => throw WriteTask.named(failure, root, spec.table, context) }
    written.toSeq
  }

  private def fold(rows: FoldedGroups): Unit =
    Using.resource(open(file.bucket)) { writer =>
      val (last, key) = (new RowKey, new RowKey)
      rows.foreach { (run, count) =>
        stopIfKilled()
        if (!file.holdsDeletes) writer.write(run, count)
        else
          (0 until count).foreach { offset =>
            key.set(run.current.ids, run.indexAt(offset))
            // the first of several events about a row is the latest; Hive loses others where a row is deleted twice
            if (!key.isSameRow(last)) writer.writeAt(run, offset)
            last.set(key)
          }
      }
      finish(writer)
    }

  /** All rows, in the order of their old IDs, in files of equally many, under new IDs (Hive 4: rebalance queries of
    * CompactionQueryBuilder). They are counted first.
    */
  private def rebalance(rows: FoldedGroups): Unit = {
    var total = 0L
    rows.foreach((_, count) => { stopIfKilled(); total += count })
    val perFile = math.max(1, (total + file.buckets - 1) / file.buckets)
    var next = 0L
    var writer = open(0)
    try {
      rows.foreach { (run, count) =>
        stopIfKilled()
        (0 until count).foreach { offset =>
          if (next > 0 && next % perFile == 0) {
            finish(writer)
            writer = open((next / perFile).toInt)
          }
          writer.writeAt(run, offset, BucketProperty.encode((next / perFile).toInt, 0), next)
          next += 1
        }
      }
      finish(writer)
    } finally writer.close()
  }

  private def pathOf(bucket: Int) = output.file("", file.folder, spec.nameOf(bucket))

  private def open(bucket: Int) = new CompactedFileWriter(pathOf(bucket), conf, spec.settings, file.holdsDeletes)

  private def finish(writer: CompactedFileWriter): Unit = {
    writer.finish()
    written += WrittenFile(output.id, "", file.folder, writer.path.getName, writer.rows, writer.bytes)
  }

  /** A task that was cancelled may come here after the compaction has ended. */
  private def stopIfKilled(): Unit = if (context.isInterrupted()) throw new TaskKilledException
}
