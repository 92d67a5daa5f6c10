package hiveacid.orc

import java.io.IOException
import java.time.ZoneId

import scala.collection.mutable.ArrayBuffer

import hiveacid.AcidException
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSError, Path}

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** A file of one task attempt, at `staging/attempt/partition/folder/name`; its rows are deletes or new rows. The
  * partition is empty in a flat table.
  */
final case class WrittenFile(
    attempt: String,
    partition: String,
    folder: String,
    name: String,
    deletes: Boolean,
    rows: Long,
    bytes: Long
)

/** One task attempt of a write job. It writes only below its own attempt folder, so that retries and speculative
  * attempts never meet; the driver takes the files of the attempt that won.
  *
  * @param piece
  *   from 0; tasks with rows of one bucket, and in an insert of one partition, differ in it
  */
final class WriteTask(spec: WriteSpec, conf: Configuration, context: TaskContext, piece: Int) extends Logging {
  import WriteTask.Run

  private val attempt =
    s"attempt-${context.stageId()}-${context.stageAttemptNumber()}-${context.partitionId()}-${context.taskAttemptId()}"
  private val files = ArrayBuffer.empty[WrittenFile]

  /** An insert's bucket is the number of the piece; pieces beyond `maxBuckets` go on with the next statement ID. */
  private val (insertBucket, insertStatement) = (piece % spec.maxBuckets, spec.statementId + piece / spec.maxBuckets)

  /** Writes the rows of `__change, __row_id, columns…` into one file, or none if there are no rows. */
  def insert(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): Seq[WrittenFile] = {
    if (changes.hasNext) {
      writeInserts(Run("", insertBucket), insertStatement, columnTypes, firstColumn = 2) { writer =>
        changes.foreach { change =>
          expect(change)
          writer.write(change)
        }
      }
    }
    files.toSeq
  }

  /** Writes the rows of `__change, partition, columns…`, sorted by partition, into one file per partition. */
  def insertPartitioned(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): Seq[WrittenFile] = {
    val rows = changes.buffered
    while (rows.hasNext) {
      val partition = rows.head.getUTF8String(1).clone()
      writeInserts(Run(partition.toString, insertBucket), insertStatement, columnTypes, firstColumn = 2) { writer =>
        while (rows.hasNext && rows.head.getUTF8String(1) == partition) {
          val change = rows.next()
          expect(change)
          writer.write(change)
        }
      }
    }
    files.toSeq
  }

  /** Writes the victims `__change, partition, bucket, writeid, bucketid, rowid`, sorted by the last five, into a file
    * per partition and bucket.
    */
  def delete(changes: Iterator[InternalRow]): Seq[WrittenFile] = {
    val victims = changes.buffered
    while (victims.hasNext) writeDeletes(runOf(victims.head), victims)(_ => ())
    files.toSeq
  }

  /** Writes the victims as `delete` does, and the new values that follow in each row into a file of the same partition
    * and bucket under the next statement ID.
    */
  def update(changes: Iterator[InternalRow], columnTypes: Seq[DataType]): Seq[WrittenFile] = {
    val victims = changes.buffered
    while (victims.hasNext) {
      val run = runOf(victims.head)
      writeInserts(run, spec.deleteStatement(piece) + 1, columnTypes, firstColumn = 6) { writer =>
        writeDeletes(run, victims)(writer.write)
      }
    }
    files.toSeq
  }

  private def writeInserts(run: Run, statementId: Int, columnTypes: Seq[DataType], firstColumn: Int)(
      fill: InsertFileWriter => Unit
  ): Unit = {
    val property = BucketProperty.encode(run.bucket, statementId)
    val zone = new WallClock(ZoneId.of(spec.timeZone, ZoneId.SHORT_IDS))
    write(run, spec.insertFolder(statementId), deletes = false) { path =>
      new InsertFileWriter(path, conf, spec.settings, property, columnTypes, firstColumn, zone)
    }(fill)
  }

  /** Writes all victims of the run, which come next, and hands each to `also`. */
  private def writeDeletes(run: Run, victims: collection.BufferedIterator[InternalRow])(
      also: InternalRow => Unit
  ): Unit = {
    val partition = UTF8String.fromString(run.partition)
    write(run, spec.deleteDelta(spec.deleteStatement(piece)), deletes = true) { path =>
      new DeleteFileWriter(path, conf, spec.settings)
    } { writer =>
      var (last, lastId, lastRow) = (0, -1L, -1L)
      while (victims.hasNext && bucketOf(victims.head) == run.bucket && victims.head.getUTF8String(1) == partition) {
        val victim = victims.next()
        val (writeId, property, rowId) = (victim.getLong(3), victim.getInt(4), victim.getLong(5))
        expect(victim)
        if (writer.rows > 0 && writeId == lastId && property == last && rowId == lastRow)
          throw internal(s"row ($writeId, $property, $rowId) would be changed twice by one statement")
        writer.write(writeId, property, rowId)
        also(victim)
        last = property
        lastId = writeId
        lastRow = rowId
      }
    }
  }

  private def runOf(victim: InternalRow): Run = Run(victim.getUTF8String(1).toString, bucketOf(victim))

  private def bucketOf(victim: InternalRow): Int = {
    if ((1 to 5).exists(victim.isNullAt)) throw internal("a row to delete has no row ID")
    val bucket = victim.getInt(2)
    if (BucketProperty.bucketOf(victim.getInt(4)) != bucket || bucket > BucketProperty.Limit)
      throw internal(s"bucket property ${victim.getInt(4)} was taken for bucket $bucket")
    bucket
  }

  private def expect(change: InternalRow): Unit =
    if (change.isNullAt(0) || change.getByte(0) != spec.kind.change)
      throw internal(s"a change of kind ${change.getByte(0)} came to a write of kind ${spec.kind.name}")

  /** Opens a file, fills it and notes it down once it is complete. */
  private def write[W <: AcidFileWriter](run: Run, folder: String, deletes: Boolean)(open: Path => W)(
      fill: W => Unit
  ): Unit = {
    val name = f"bucket_${run.bucket}%05d"
    val path = new Path(WriteTask.child(new Path(spec.staging, attempt), run.partition), s"$folder/$name")
    try {
      stopIfKilled()
      val writer = open(path)
      fillAndClose(writer, fill)
      stopIfKilled()
      val bytes = path.getFileSystem(conf).getFileStatus(path).getLen
      files += WrittenFile(attempt, run.partition, folder, name, deletes, writer.rows, bytes)
    } catch {
      case failure: Throwable =>
        if (context.isInterrupted()) removeAttempt()
        throw named(failure, path)
    }
  }

  /** An unfinished file stays in this attempt's folder, which nobody reads. */
  private def fillAndClose[W <: AcidFileWriter](writer: W, fill: W => Unit): Unit =
    try {
      fill(writer)
      writer.finish()
    } catch {
      case failure: Throwable =>
        try writer.close()
        catch { case e: Throwable => failure.addSuppressed(e) }
        throw failure
    }

  /** A task that was cancelled while it waited for rows can come here after the statement has ended. */
  private def stopIfKilled(): Unit = if (context.isInterrupted()) throw new TaskKilledException

  /** The statement may have removed its staging folder before this attempt wrote into it: then nobody else would. */
  private def removeAttempt(): Unit =
    try {
      val staging = new Path(spec.staging)
      val fs = staging.getFileSystem(conf)
      fs.delete(new Path(staging, attempt), true)
      fs.delete(staging, false) // unless others have written there
    } catch { case e: IOException => logDebug(s"Left $attempt below ${spec.staging}", e) }

  /** Failures of the storage, and values that the format cannot hold, get a name; those of the query keep theirs. */
  private def named(failure: Throwable, path: Path): Throwable = failure match {
    case _ if context.isInterrupted() => failure
    // Hadoop's local file system reports a full disk as FSError
    case e @ (_: IOException | _: FSError | _: UnwritableValueException) =>
      val reason = Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
      AcidException("HIVE_ACID_STORAGE", Map("path" -> path.toString, "action" -> "writing", "reason" -> reason), e)
    case _ => failure
  }

  private def internal(reason: String): AcidException = AcidException("HIVE_ACID_INTERNAL", Map("reason" -> reason))
}

object WriteTask {

  /** Rows that go to the same files. */
  private case class Run(partition: String, bucket: Int)

  /** The folder below `parent` of a partition's name, which is empty in a flat table. */
  def child(parent: Path, partition: String): Path = if (partition.isEmpty) parent else new Path(parent, partition)
}
