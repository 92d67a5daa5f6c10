package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8

import hiveacid.formats.{CountedFile, FileSettings, NewRowsWriter, TableFileWriter}
import hiveacid.values.WallClock
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.{LongColumnVector, StructColumnVector, VectorizedRowBatch}
import org.apache.orc.{CompressionKind, OrcConf, OrcFile, TypeDescription}
import org.apache.orc.TypeDescription.RowBatchVersion

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** Writes one file of a delta or delete delta as Hive itself does (OrcRecordUpdater): the six ACID columns and three
  * footer keys, which Hive 3.1 and 4 rely on (a wrong key index brings deleted rows back).
  */
abstract class AcidFileWriter(path: Path, conf: Configuration, settings: FileSettings) extends TableFileWriter {
  import AcidFileWriter._

  private val schema = schemaOf(settings.rowType)
  protected val batch: VectorizedRowBatch = schema.createRowBatch(RowBatchVersion.USE_DECIMAL64, BatchRows)
  private val keys = new KeyIndex
  private val writer = if (settings.discards) None else Some(open(path, conf, settings, schema, Some(keys)))
  private var written = 0L

  // columns that are the same in every row stay repeating through the life of the batch
  constant(FileSchema.Operation, operation)
  constant(FileSchema.CurrentTransaction, settings.writeId)

  /** 0 for a file of inserts, 2 for one of deletes (OrcRecordUpdater). */
  protected def operation: Int

  /** Clears the columns that are not constant. */
  protected def clear(): Unit

  protected def rowTypeDescription: TypeDescription = schema.getChildren.get(FileSchema.Row)
  protected def rowVector: StructColumnVector = batch.cols(FileSchema.Row).asInstanceOf[StructColumnVector]
  protected def column(index: Int): LongColumnVector = batch.cols(index).asInstanceOf[LongColumnVector]
  protected def constant(index: Int, value: Long): Unit = {
    column(index).isRepeating = true
    column(index).vector(0) = value
  }

  /** Leaves the columns of the table out: delete events have none. */
  final protected def leaveRowsOut(): Unit = {
    rowVector.isRepeating = true
    rowVector.noNulls = false
    rowVector.isNull(0) = true
  }

  /** Rows handed over so far. */
  final override def rows: Long = written + batch.size

  final override def bytes: Long = writer.fold(0L)(_.bytes)

  /** Counts the row that was put at index `batch.size`. */
  final protected def added(): Unit = {
    batch.size += 1
    if (batch.size == BatchRows) flush()
  }

  final protected def flush(): Unit = if (batch.size > 0) {
    hand(batch)
    batch.size = 0
    clear()
  }

  /** Hands over a batch of the same columns as it is. */
  final protected def hand(rows: VectorizedRowBatch): Unit = {
    keys.lastKey = keyOf(rows, rows.size - 1)
    keys.pending = true
    written += rows.size
    writer.foreach(_.addRowBatch(rows))
  }

  private def keyOf(rows: VectorizedRowBatch, row: Int): String = {
    def value(index: Int) = {
      val numbers = rows.cols(index).asInstanceOf[LongColumnVector]
      numbers.vector(if (numbers.isRepeating) 0 else row)
    }
    s"${value(FileSchema.OriginalTransaction)},${value(FileSchema.Bucket)},${value(FileSchema.RowId)};"
  }

  final override def finish(): Unit = {
    flush()
    writer.foreach(_.close())
  }

  /** Releases the stream; after `finish` it does nothing. */
  final override def close(): Unit = writer.foreach(_.close())

  /** Collects the key of the last row of every stripe.
    *
    * ORC ends a stripe only between batches, so the last row handed over is the stripe's last. On closing it asks for
    * the footer before it flushes the last stripe, so the key of that one is added then, and its own callback ignored.
    */
  private class KeyIndex extends OrcFile.WriterCallback {
    var lastKey = ""
    var pending = false
    private val index = new java.lang.StringBuilder
    private var closed = false

    override def preStripeWrite(context: OrcFile.WriterContext): Unit = if (!closed) endStripe()

    override def preFooterWrite(context: OrcFile.WriterContext): Unit = {
      if (pending) endStripe()
      closed = true
      val counts = if (operation == 0) s"$written,0,0" else s"0,0,$written"
      val footer = context.getWriter
      footer.addUserMetadata("hive.acid.key.index", UTF_8.encode(index.toString))
      footer.addUserMetadata("hive.acid.stats", UTF_8.encode(counts))
      footer.addUserMetadata("hive.acid.version", UTF_8.encode("2"))
    }

    private def endStripe(): Unit = {
      index.append(lastKey)
      pending = false
    }
  }
}

object AcidFileWriter {
  private[hiveacid] val BatchRows = 1024
  private val RowIndexStride = 10000 // Hive's; row-group statistics of the ACID columns are needed by Hive 4

  /** The schema of an ACID file with this `row` struct, in Hive's spelling. */
  def schemaOf(rowType: String): TypeDescription = FileSchema.asRow(TypeDescription.fromString(rowType))

  /** An ORC file as Hive itself writes it. */
  private[hiveacid] def open(
      path: Path,
      conf: Configuration,
      settings: FileSettings,
      schema: TypeDescription,
      callback: Option[OrcFile.WriterCallback] = None
  ): OrcOutput = {
    val file = new CountedFile(path, conf)
    val options = OrcFile
      .writerOptions(writeConf(conf, settings.options))
      .setSchema(schema)
      .compress(CompressionKind.valueOf(settings.compression))
      .version(OrcFile.Version.V_0_12)
      .rowIndexStride(settings.options.get(OrcConf.ROW_INDEX_STRIDE.getAttribute).fold(RowIndexStride)(_.toInt))
      .buildIndex(true)
      .overwrite(false)
      .useUTCTimestamp(true)
      .setProlepticGregorian(true)
      .fileSystem(file)
    new OrcOutput(OrcFile.createWriter(path, callback.fold(options)(options.callback)), file)
  }

  /** Session settings of ORC that Hive 3.1 could not read, or that resolve names against the wrong struct. */
  private def writeConf(conf: Configuration, options: Map[String, String]): Configuration = {
    val result = new Configuration(conf)
    Seq(OrcConf.ENCRYPTION, OrcConf.DATA_MASK, OrcConf.BLOOM_FILTER_COLUMNS, OrcConf.DIRECT_ENCODING_COLUMNS)
      .foreach(c => result.unset(c.getAttribute))
    options.foreach { case (key, value) => result.set(key, value) }
    result
  }
}

/** A file of new rows: one writer per (partition, write ID, statement ID, bucket), row IDs from 0 in order.
  *
  * @param firstColumn
  *   ordinal of the table's first column in the rows that are written
  */
final class InsertFileWriter(
    path: Path,
    conf: Configuration,
    settings: FileSettings,
    property: Int,
    columnTypes: Seq[DataType],
    firstColumn: Int,
    zone: WallClock
) extends AcidFileWriter(path, conf, settings)
    with NewRowsWriter {
  constant(FileSchema.OriginalTransaction, settings.writeId)
  constant(FileSchema.Bucket, property.toLong)
  clear()

  private val rowIds = column(FileSchema.RowId)
  private val setter = RowSetter.of(columnTypes, rowTypeDescription, rowVector, firstColumn, zone)

  override protected def operation: Int = 0

  override protected def clear(): Unit = rowVector.fields.foreach(_.reset())

  override def write(row: InternalRow): Unit = {
    val i = batch.size
    rowIds.vector(i) = rows
    setter.set(i, row)
    added()
  }
}

/** A file without rows, which makes a base without rows visible to every engine. */
final class EmptyFileWriter(path: Path, conf: Configuration, settings: FileSettings)
    extends AcidFileWriter(path, conf, settings) {
  override protected def operation: Int = 0
  override protected def clear(): Unit = ()
}

/** A file of delete events. The victims must come in ascending order, as Hive's readers rely on: write ID, property as
  * a signed number, row ID.
  */
final class DeleteFileWriter(path: Path, conf: Configuration, settings: FileSettings)
    extends AcidFileWriter(path, conf, settings) {
  leaveRowsOut()

  private val writeIds = column(FileSchema.OriginalTransaction).vector
  private val properties = column(FileSchema.Bucket).vector
  private val rowIds = column(FileSchema.RowId).vector

  override protected def operation: Int = 2

  override protected def clear(): Unit = ()

  def write(writeId: Long, property: Int, rowId: Long): Unit = {
    val i = batch.size
    writeIds(i) = writeId
    properties(i) = property.toLong
    rowIds(i) = rowId
    added()
  }
}
