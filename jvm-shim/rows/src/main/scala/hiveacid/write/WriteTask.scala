package hiveacid.write

import java.io.IOException
import java.nio.charset.StandardCharsets

import scala.collection.BufferedIterator
import scala.collection.mutable.ArrayBuffer

import hiveacid.errors.{AcidException, QuietPaths, StorageFailure, UnwritableValueException}
import hiveacid.formats.{NewRowsWriter, TableFileWriter}
import hiveacid.formats.orc.DeleteFileWriter
import hiveacid.values.{BucketProperty, Change, MixedKind}
import hiveacid.wire.RequiredColumn
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSError, Path}

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.hiveacid.RowAccess
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** A file of one task attempt, at `staging/attempt/partition/folder/name`. The partition is empty in a flat table. */
final case class WrittenFile(
    attempt: String,
    partition: String,
    folder: String,
    name: String,
    rows: Long,
    bytes: Long
)

/** The files that the one attempt of a task that counts has written. */
final case class WrittenTask(files: Seq[WrittenFile], counts: RowCounter)

/** Rows of the target by what happened to them. One that was moved to another partition is updated. */
final class RowCounter extends Serializable {
  var inserted, updated, deleted = 0L

  def add(change: Byte): Unit = change match {
    case Change.Insert                       => inserted += 1
    case Change.Update | Change.MovedAway    => updated += 1
    case Change.Delete | Change.DeletedByAny => deleted += 1
    case _                                   =>
  }
}

/** One task attempt of a write job. It writes only below its own attempt folder, so that retries and speculative
  * attempts never meet; the driver takes the files of the attempt that won.
  *
  * @param piece
  *   from 0; tasks with rows of one bucket, and in an insert of one partition that is not bucketed, differ in it
  * @param isSmall
  *   whether it writes little
  */
final class WriteTask(spec: CheckedSpec, conf: Configuration, context: TaskContext, piece: Int, isSmall: Boolean)
    extends Logging {
  import WriteTask.{FirstChanged, FirstInserted}

  private val output = AttemptOutput.of(spec.place.staging, spec.place.output, conf, context)
  private val files = ArrayBuffer.empty[WrittenFile]

  private val counts = new RowCounter

  private def written: WrittenTask = WrittenTask(files.toSeq, counts)

  /** Writes the rows of `__change, __row_id, columns…` into one file, or none if there are no rows. */
  def insert(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): WrittenTask = {
    insertInto("", spec.insertBucket(piece), columnTypes, FirstInserted) { writer =>
      changes.foreach { change =>
        counts.add(changeOf(change, hasId = false))
        writeRow(writer(), change, FirstInserted)
      }
    }
    written
  }

  /** Writes the rows of `__change, partition, columns…`, sorted by partition, into one file per partition; in a
    * bucketed table those of `__change, partition, bucket, columns…`, sorted by both, into one per partition and
    * bucket.
    */
  def insertSorted(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): WrittenTask = {
    val rows = changes.buffered
    val firstColumn = if (spec.isBucketed) FirstInserted + 1 else FirstInserted
    while (rows.hasNext) {
      val (partition, bucket) = (rows.head.getUTF8String(1).clone(), bucketOfNew(rows.head))
      insertInto(partition.toString, bucket, columnTypes, firstColumn) { writer =>
        while (rows.hasNext && rows.head.getUTF8String(1) == partition && bucketOfNew(rows.head) == bucket) {
          val change = rows.next()
          counts.add(changeOf(change, hasId = false))
          writeRow(writer(), change, firstColumn)
        }
      }
    }
    written
  }

  private def insertInto(partition: String, bucket: Int, columnTypes: Seq[DataType], firstColumn: Int)(
      fill: (() => NewRowsWriter) => Unit
  ): Unit = writeInserts(partition, bucket, spec.insertStatement(piece), columnTypes, firstColumn)(fill)

  private def bucketOfNew(row: InternalRow): Int = if (spec.isBucketed) row.getInt(2) else spec.insertBucket(piece)

  /** Writes the changes `__change, partition, bucket, writeid, bucketid, rowid, columns…`, sorted by the five after the
    * first. Victims go to a file of deletes per partition and bucket, their new versions to one per partition under the
    * next statement ID, in the bucket that comes first, and rows without an ID to one per partition; in a bucketed
    * table each bucket has its own file of all three.
    */
  def change(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): WrittenTask = {
    val rows = changes.buffered
    while (rows.hasNext) {
      val partition = rows.head.getUTF8String(1).clone()
      val name = partition.toString
      if (isNew(rows.head)) {
        insertInto(name, bucketOfNew(rows.head), columnTypes, FirstChanged)(writeNew(rows, _))
      } else {
        val first = bucketOf(rows.head)
        def isHere(row: InternalRow) =
          !isNew(row) && row.getUTF8String(1) == partition && (!spec.keepsBuckets || bucketOf(row) == first)
        writeInserts(name, first, spec.deleteStatement(piece) + 1, columnTypes, FirstChanged) { versions =>
          while (rows.hasNext && isHere(rows.head))
            writeDeletes(name, bucketOf(rows.head))(writeChanged(rows, _, versions))
        }
      }
    }
    written
  }

  /** The rows without an ID, of one partition and bucket. */
  private def writeNew(rows: BufferedIterator[InternalRow], writer: () => NewRowsWriter): Unit = {
    val (partition, bucket) = (rows.head.getUTF8String(1).clone(), bucketOfNew(rows.head))
    def isHere(row: InternalRow) = isNew(row) && bucketOfNew(row) == bucket && row.getUTF8String(1) == partition
    while (rows.hasNext && isHere(rows.head)) {
      val row = rows.next()
      counts.add(changeOf(row, hasId = false))
      writeRow(writer(), row, FirstChanged)
    }
  }

  /** The rows with an ID, of one partition and bucket. Two changes of one row meet here. */
  private def writeChanged(
      rows: BufferedIterator[InternalRow],
      deletes: () => DeleteFileWriter,
      versions: () => NewRowsWriter
  ): Unit = {
    val (partition, bucket) = (rows.head.getUTF8String(1).clone(), bucketOf(rows.head))
    var (last, lastId, lastRow, isFirst) = (0, -1L, -1L, true)
    while (rows.hasNext && isOf(rows.head, partition, bucket)) {
      val row = rows.next()
      val (writeId, property, rowId) = (row.getLong(3), row.getInt(4), row.getLong(5))
      val change = changeOf(row, hasId = true)
      if (!isFirst && writeId == lastId && property == last && rowId == lastRow) {
        if (change != Change.DeletedByAny) throw repeated(writeId, property, rowId)
      } else if (change != Change.Nothing) {
        deletes().write(writeId, property, rowId)
        if (change == Change.Update) writeRow(versions(), row, FirstChanged)
        counts.add(change)
      }
      last = property
      lastId = writeId
      lastRow = rowId
      isFirst = false
    }
  }

  private def writeRow(writer: NewRowsWriter, row: InternalRow, firstColumn: Int): Unit = {
    spec.required.foreach { case RequiredColumn(column, position) =>
      if (row.isNullAt(firstColumn + position))
        throw AcidException("HIVE_ACID_NULL_VALUE", Map("table" -> spec.table, "column" -> column))
    }
    writer.write(row)
  }

  private def repeated(writeId: Long, property: Int, rowId: Long): Throwable =
    if (spec.kind == MixedKind) RowAccess.mergeCardinalityViolation
    else internal(s"row ($writeId, $property, $rowId) would be changed twice by one statement")

  private def writeInserts(
      partition: String,
      bucket: Int,
      statementId: Int,
      columnTypes: Seq[DataType],
      firstColumn: Int
  )(fill: (() => NewRowsWriter) => Unit): Unit = {
    write(partition, bucket, spec.insertFolder(statementId)) { path =>
      val property = BucketProperty.encode(bucket, statementId)
      val settings = if (isSmall) spec.settings.ofFewRows else spec.settings
      spec.layout.newRows(NewFile(path, conf, settings, spec.timeZone, property, columnTypes, firstColumn))
    }(fill)
  }

  private def writeDeletes(partition: String, bucket: Int)(fill: (() => DeleteFileWriter) => Unit): Unit =
    write(partition, bucket, spec.deleteDelta(spec.deleteStatement(piece))) { path =>
      new DeleteFileWriter(path, conf, spec.settings.ofFewRows) // events are a few bytes each
    }(fill)

  private def isOf(row: InternalRow, partition: UTF8String, bucket: Int): Boolean =
    !isNew(row) && bucketOf(row) == bucket && row.getUTF8String(1) == partition

  private def isNew(row: InternalRow): Boolean = spec.kind == MixedKind && row.isNullAt(5)

  private def bucketOf(victim: InternalRow): Int = {
    if ((1 to 5).exists(victim.isNullAt)) throw internal("a row to delete has no row ID")
    val bucket = victim.getInt(2)
    if (BucketProperty.bucketOf(victim.getInt(4)) != bucket || bucket > BucketProperty.Limit)
      throw internal(s"bucket property ${victim.getInt(4)} was taken for bucket $bucket")
    bucket
  }

  private def changeOf(row: InternalRow, hasId: Boolean): Byte = {
    val change = row.getByte(0)
    if (row.isNullAt(0) || !spec.kind.allows(change) || Change.isNew(change) == hasId)
      throw internal(s"a change of kind $change came to a write of kind ${spec.kind.name}")
    change
  }

  /** Opens a file when it is first asked for, and notes it down once it is complete. */
  private def write[W <: TableFileWriter](partition: String, bucket: Int, folder: String)(open: Path => W)(
      fill: (() => W) => Unit
  ): Unit = {
    WriteTask.refuseLongNames(partition)
    val name = spec.file(bucket)
    val path = output.file(partition, folder, name)
    try {
      fillAndClose(() => open(path), fill).foreach { writer =>
        stopIfKilled()
        files += WrittenFile(output.id, partition, folder, name, writer.rows, writer.bytes)
      }
    } catch {
      case failure: Throwable =>
        if (context.isInterrupted() && !spec.place.discards) output.remove()
        throw WriteTask.named(failure, path, spec.table, context)
    }
  }

  /** The finished file, if there was anything to write. An unfinished one stays in this attempt's folder, which nobody
    * reads.
    */
  private def fillAndClose[W <: TableFileWriter](open: () => W, fill: (() => W) => Unit): Option[W] = {
    var opened: Option[W] = None
    try {
      fill { () =>
        if (opened.isEmpty) {
          stopIfKilled()
          opened = Some(open())
        }
        opened.get
      }
      opened.foreach(_.finish())
      opened
    } catch {
      case failure: Throwable =>
        try opened.foreach(_.close())
        catch { case e: Throwable => failure.addSuppressed(e) }
        throw failure
    }
  }

  /** A task that was cancelled while it waited for rows can come here after the statement has ended. */
  private def stopIfKilled(): Unit = if (context.isInterrupted()) throw new TaskKilledException

  private def internal(reason: String): AcidException = AcidException("HIVE_ACID_INTERNAL", Map("reason" -> reason))
}

object WriteTask {

  /** Where the target's columns begin in the rows of an insert, and of changes. */
  private val FirstInserted = 2
  private val FirstChanged = 6

  /** The limit of a file's or folder's name, on the file systems that Linux mounts and on HDFS. */
  private val MaxNameBytes = 255

  private def refuseLongNames(partition: String): Unit =
    partition.split('/').find(_.getBytes(StandardCharsets.UTF_8).length > MaxNameBytes).foreach { name =>
      val bytes = name.getBytes(StandardCharsets.UTF_8).length
      val reason = s"the name of a partition's folder would have $bytes bytes, and storage takes $MaxNameBytes"
      val path = QuietPaths.hide(name)
      throw AcidException("HIVE_ACID_STORAGE", Map("path" -> path, "action" -> "making a folder", "reason" -> reason))
    }

  /** Failures of the storage, and values that the format cannot hold, get a name; those of the query keep theirs. */
  private[hiveacid] def named(failure: Throwable, path: Path, table: String, context: TaskContext): Throwable =
    failure match {
      case _ if context.isInterrupted() => failure
      case e: UnwritableValueException  =>
        AcidException(e.refusal.condition, e.refusal.parameters ++ Map("table" -> table, "column" -> e.column), e)
      // Hadoop's local file system reports a full disk as FSError
      case e @ (_: IOException | _: FSError) => StorageFailure(path, "writing", e)
      case _                                 => failure
    }

  /** The name of a task attempt's own folder. */
  private[hiveacid] def attemptFolder(context: TaskContext): String = {
    val stage = s"${context.stageId()}-${context.stageAttemptNumber()}"
    s"attempt-$stage-${context.partitionId()}-${context.taskAttemptId()}"
  }

  /** The folder below `parent` of a partition's name, which is empty in a flat table. */
  def child(parent: Path, partition: String): Path = if (partition.isEmpty) parent else new Path(parent, partition)
}
