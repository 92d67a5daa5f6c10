package hiveacid.compact

import scala.util.Using

import hiveacid.formats.ReadErrors
import hiveacid.formats.orc.CopiedFlatFileWriter
import hiveacid.write.{AttemptOutput, FileLayout, WriteTask, WrittenFile}
import hiveacid.wire.{CompactedFile, FoldedFile}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.types.StructType

/** How files of one format, whose rows have no IDs, become fewer. */
trait FlatFolding {

  /** The files in order, those together that can be one. */
  def partsOf(files: Seq[FoldedFile]): Seq[Seq[FoldedFile]]

  /** Writes the rows of a part in the order of its files. `goesOn` is called now and then. */
  def fold(part: Seq[FoldedFile], path: Path, goesOn: () => Unit): Folded
}

/** A file that was made: its rows and length. */
final case class Folded(rows: Long, bytes: Long)

/** One attempt to make a file of an insert-only table. It writes only below its own attempt folder.
  *
  * Where the files are not of one form it makes one for each form, of the same number: `000001_0`, `000001_0_copy_1`,
  * as Hive calls further files of a bucket.
  */
final class FlatCompactionTask(
    spec: CheckedCompaction,
    file: CompactedFile,
    schema: StructType,
    conf: Configuration,
    context: TaskContext
) {
  private val output = AttemptOutput.of(spec.staging, spec.output, conf, context)
  private val folding: FlatFolding = spec.layout match {
    case FileLayout.Parquet => new ParquetFolding(spec.table, spec.settings, conf)
    case _                  => new OrcFolding(spec, schema, conf)
  }

  def run(): Seq[WrittenFile] =
    try {
      val parts = folding.partsOf(file.groups.flatten.flatten)
      if (parts.isEmpty) Seq(empty())
      else parts.zipWithIndex.map { case (part, i) => fold(part, if (i == 0) "" else s"_copy_$i") }
    } catch { case failure: Throwable => throw WriteTask.named(failure, new Path(spec.staging), spec.table, context) }

  private def fold(part: Seq[FoldedFile], suffix: String): WrittenFile = {
    val path = pathOf(suffix)
    written(path, folding.fold(part, path, () => stopIfKilled()))
  }

  private def empty(): WrittenFile = {
    val path = pathOf("")
    val bytes = Using.resource(spec.layout.empty(path, conf, spec.settings)) { writer =>
      writer.finish()
      writer.bytes
    }
    written(path, Folded(0, bytes))
  }

  private def pathOf(suffix: String) = output.file("", file.folder, spec.nameOf(file.bucket) + suffix)

  private def written(path: Path, folded: Folded) =
    WrittenFile(output.id, "", file.folder, path.getName, folded.rows, folded.bytes)

  /** A task that was cancelled may come here after the compaction has ended. */
  private def stopIfKilled(): Unit = if (context.isInterrupted()) throw new TaskKilledException
}

/** Folds ORC files into one with the table's columns of today; values are not touched (see [[DataRows]]). */
final class OrcFolding(spec: CheckedCompaction, schema: StructType, conf: Configuration) extends FlatFolding {
  private val errors = ReadErrors(spec.table)

  override def partsOf(files: Seq[FoldedFile]): Seq[Seq[FoldedFile]] = Seq(files).filter(_.nonEmpty)

  override def fold(part: Seq[FoldedFile], path: Path, goesOn: () => Unit): Folded =
    Using.resource(new CopiedFlatFileWriter(path, conf, spec.settings)) { writer =>
      part.foreach { folded =>
        val source = spec.source(folded)
        Using.resource(new DataRows(source, schema, conf, errors, isFlat = true)) { rows =>
          var count = rows.read()
          while (count > 0) {
            goesOn()
            writer.write(rows.columns, count)
            count = rows.read()
          }
        }
      }
      writer.finish()
      Folded(writer.rows, writer.bytes)
    }
}
