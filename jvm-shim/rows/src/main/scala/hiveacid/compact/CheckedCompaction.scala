package hiveacid.compact

import hiveacid.formats.{Evolution, FileSettings}
import hiveacid.formats.orc.{DeletesSource, RawRows, SourceFile}
import hiveacid.wire.{CompactionSpec, FoldedFile, OutputJob, Wire}
import hiveacid.write.FileLayout
import org.apache.hadoop.fs.Path

/** The order of Python for a compaction, and what follows from it.
  *
  * @param deletes
  *   what [[hiveacid.formats.orc.Deletes]] is told
  */
final case class CheckedCompaction private (
    message: CompactionSpec,
    layout: FileLayout,
    evolution: Evolution,
    deletes: DeletesSource
) {
  def table: String = message.table
  def staging: String = message.staging
  def output: OutputJob = message.output
  def rowType: String = message.rowType
  def writeIds: String = message.writeIds

  def settings: FileSettings = FileSettings(0, rowType, message.compression, options = message.options)

  /** The name of a file of this bucket. */
  def nameOf(bucket: Int): String = message.fileName.format(bucket)

  /** A file that is folded, to be read without the rows that do not count. */
  def source(file: FoldedFile): SourceFile = CheckedCompaction.source(file, Some(deletes), writeIds, evolution)
}

object CheckedCompaction {

  /** @throws IllegalArgumentException
    *   for an unknown layout
    */
  def of(message: CompactionSpec): CheckedCompaction = new CheckedCompaction(
    message,
    FileLayout.of(message.layout),
    Evolution.of(message.evolution),
    DeletesSource(Wire.write(message.deletes), Some(message.writeIds).filter(_ => message.deletes.isChecked))
  )

  /** Where deletes and write IDs are to be looked up is the compaction's to say. */
  def source(file: FoldedFile, deletes: Option[DeletesSource], writeIds: String, evolution: Evolution): SourceFile =
    SourceFile(
      new Path(file.path),
      start = 0,
      length = file.lengthBytes,
      fileBytes = file.lengthBytes,
      deletes = deletes.filter(_ => file.hasDeletes),
      valid = Some(writeIds).filter(_ => file.isChecked),
      raw = file.raw.map(ids => RawRows(ids.writeId, ids.property, Some(ids.firstRow))),
      writeIds = Some(s"${file.minWriteId},${file.maxWriteId}"),
      evolution = evolution
    )
}
