package hiveacid.compact

import scala.util.Using

import hiveacid.formats.{Evolution, ReadErrors}
import hiveacid.formats.orc.{CompactedFileWriter, RowBatches, SortedRun}
import hiveacid.wire.{CompactedFile, FoldedFile}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.types.StructType

/** All that is folded into a file, as rows in the order of their IDs.
  *
  * A batch of each open file is held in memory, and `openRuns` (2 or more) are open at most: what is more is folded
  * into files of its own first.
  *
  * @param spillFolder
  *   where these may lie
  * @param schema
  *   the table's columns
  */
final class FoldedGroups(
    spec: CheckedCompaction,
    file: CompactedFile,
    schema: StructType,
    spillFolder: Path,
    conf: Configuration,
    openRuns: Int
) {
  private val errors = ReadErrors(spec.table)
  private var spilled = 0

  /** Hands over the rows; see [[RunMerge.merge]]. */
  def foreach(take: (SortedRun, Int) => Unit): Unit = file.groups.foreach { group =>
    RunMerge.merge(narrowed(group.map(files => () => runOf(files))).map(_.apply()))(take)
  }

  private def runOf(files: Seq[FoldedFile]) = new SortedRun(files.iterator.map(f => () => batchesOf(f)), errors)

  private def batchesOf(folded: FoldedFile): RowBatches =
    if (file.holdsDeletes) new DeleteEvents(folded, file.bucket, spec.writeIds, conf, errors)
    else new DataRows(spec.source(folded), schema, conf, errors)

  private def narrowed(runs: Seq[() => SortedRun]): Seq[() => SortedRun] =
    if (runs.length <= openRuns) runs else narrowed(runs.grouped(openRuns).map(spill).toVector)

  private def spill(runs: Seq[() => SortedRun]): () => SortedRun = {
    spilled += 1
    val path = new Path(spillFolder, s"spill-$spilled")
    Using.resource(new CompactedFileWriter(path, conf, spec.settings, file.holdsDeletes)) { writer =>
      RunMerge.merge(runs.map(_.apply()))(writer.write)
      writer.finish()
    }
    val bytes = path.getFileSystem(conf).getFileStatus(path).getLen
    () => new SortedRun(Iterator(() => spilledRows(path, bytes)), errors)
  }

  private def spilledRows(path: Path, bytes: Long): RowBatches = {
    val whole =
      FoldedFile(path.toString, bytes, 0, Long.MaxValue, hasDeletes = false, isChecked = false, anyBucket = true, None)
    if (file.holdsDeletes) new DeleteEvents(whole, file.bucket, "", conf, errors)
    else
      new DataRows(
        CheckedCompaction.source(whole, None, "", Evolution(byPosition = true)).copy(writeIds = None),
        schema,
        conf,
        errors
      )
  }
}

object FoldedGroups {

  /** Each costs the buffers of an ORC reader. */
  val OpenRuns = 64
}
