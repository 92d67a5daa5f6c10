package hiveacid.compact

import hiveacid.values.HiveColumns
import hiveacid.formats.orc.TableOrcFileFormat
import hiveacid.write.{FileLayout, WriteJob, WrittenFile}
import hiveacid.wire.{CompactedFile, CompactionSpec, Wire}
import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

/** Folds files of a table into fewer, in one Spark job: a task for each file that is made. The caller says which are
  * folded, and where the result is seen.
  */
object CompactionJob {

  /** Called by Python.
    *
    * @param message
    *   a CompactionSpec
    * @return
    *   the WriteResult of a [[WriteJob]], without numbers of rows
    */
  def run(session: SparkSession, message: String): String = {
    val spec = CheckedCompaction.of(Wire.read[CompactionSpec](message))
    val columns = spec.message.columns.map(column => (column.name, column.`type`, column.comment))
    val schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(HiveColumns.schema(spec.table, columns))
    val conf = session.sessionState.newHadoopConf()
    val configured = new SerializableConfiguration(TableOrcFileFormat.readConf(conf))
    val context = session.sparkContext
    val files = spec.message.files
    val task = (task: TaskContext, mine: Iterator[CompactedFile]) =>
      mine.toVector.flatMap { file =>
        if (spec.layout == FileLayout.AcidOrc) new CompactionTask(spec, file, schema, configured.value, task).run()
        else new FlatCompactionTask(spec, file, schema, configured.value, task).run()
      }
    val results = new Array[Seq[WrittenFile]](files.length)
    // Spark hands over the result of one attempt per partition, whatever was retried or run twice
    context.runJob(
      context.parallelize(files, math.max(1, files.length)),
      task,
      files.indices,
      (i: Int, made: Seq[WrittenFile]) => results(i) = made
    )
    val made = results.toSeq.flatten.sortBy(f => (f.folder, f.name))
    if (spec.output.id.isEmpty) WriteJob.publish(made, new Path(spec.staging), conf)
    Wire.write(WriteJob.report(made, Nil))
  }
}
