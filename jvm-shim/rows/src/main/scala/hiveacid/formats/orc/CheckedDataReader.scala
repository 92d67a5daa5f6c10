package hiveacid.formats.orc

import java.io.EOFException
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.common.io.DiskRangeList
import org.apache.orc.{DataReader, OrcProto, Reader, StripeInformation}
import org.apache.orc.impl.{
  BufferChunkList,
  DataReaderProperties,
  InStream,
  OrcCodecPool,
  RecordReaderUtils,
  SerializationUtils
}

import org.apache.spark.sql.hiveacid.SparkLineDataReader

/** Hands the bytes of a stripe to ORC once its streams of integers are known to be as long as their runs say.
  *
  * ORC tries for ever to read the rest of a stream that ends within a run (SerializationUtils.readLongBE counts the -1
  * of the end as a byte less), and a task that does so cannot be cancelled either.
  *
  * @param columns
  *   whose streams are looked at, by ORC's numbers
  */
final class CheckedDataReader private (protected val inner: DataReader, columns: Set[Int]) extends SparkLineDataReader {
  private var stripe: StripeInformation = _
  private var footer: OrcProto.StripeFooter = _

  override def readStripeFooter(s: StripeInformation): OrcProto.StripeFooter = {
    stripe = s
    footer = inner.readStripeFooter(s)
    footer
  }

  override def readFileData(ranges: BufferChunkList, direct: Boolean): BufferChunkList = {
    val read = inner.readFileData(ranges, direct)
    var offset = stripe.getOffset
    footer.getStreamsList.asScala.foreach { stream =>
      if (isChecked(stream)) find(read.get, offset).foreach { chunk =>
        val bytes = InStream.create("integers", chunk, offset, stream.getLength, inner.getCompressionOptions)
        new IntegerRuns(bytes).check(stripe.getNumberOfRows)
      }
      offset += stream.getLength
    }
    read
  }

  private def isChecked(stream: OrcProto.Stream) =
    stream.getKind == OrcProto.Stream.Kind.DATA && columns(stream.getColumn) &&
      footer.getColumns(stream.getColumn).getKind == OrcProto.ColumnEncoding.Kind.DIRECT_V2

  private def find(first: DiskRangeList, offset: Long): Option[DiskRangeList] =
    Iterator.iterate(first)(_.next).takeWhile(_ != null).find(_.getOffset == offset)

  override def open(): Unit = inner.open()
  override def isTrackingDiskRanges: Boolean = inner.isTrackingDiskRanges
  override def releaseBuffer(buffer: ByteBuffer): Unit = inner.releaseBuffer(buffer)
  override def getCompressionOptions: InStream.StreamOptions = inner.getCompressionOptions
  override def close(): Unit = inner.close()

  /** ORC takes a copy to read with; nobody else uses this one. */
  override def clone(): DataReader = this
}

object CheckedDataReader {
  def of(path: Path, reader: Reader, columns: Set[Int], conf: Configuration): DataReader = {
    val compression =
      InStream
        .options()
        .withCodec(OrcCodecPool.getCodec(reader.getCompressionKind))
        .withBufferSize(reader.getCompressionSize)
    val properties = DataReaderProperties
      .builder()
      .withFileSystem(path.getFileSystem(conf))
      .withPath(path)
      .withCompression(compression)
      .build()
    new CheckedDataReader(RecordReaderUtils.createDefaultDataReader(properties), columns)
  }
}

/** The runs of integers of a stream (ORC's specification: Integer Run Length Encoding, version 2). */
final private class IntegerRuns(bytes: InStream) {
  private val widths = new SerializationUtils
  private val skipped = new Array[Byte](4096)

  /** @throws java.io.EOFException
    *   if the stream ends before that many numbers
    */
  def check(numbers: Long): Unit = {
    var found = 0L
    while (found < numbers) found += skipRun()
  }

  private def skipRun(): Int = {
    val head = next()
    head >>> 6 match {
      case 0 =>
        skip((head >>> 3 & 7) + 1)
        (head & 7) + 3
      case 1 =>
        val count = (head & 1) << 8 | next()
        skip(packed(SerializationUtils.decodeBitWidth(head >>> 1 & 31), count + 1))
        count + 1
      case 2 => skipPatched(head)
      case _ =>
        val count = (head & 1) << 8 | next()
        val width = head >>> 1 & 31
        skipNumber()
        skipNumber()
        if (width > 0) skip(packed(SerializationUtils.decodeBitWidth(width), count - 1))
        count + 1
    }
  }

  private def skipPatched(head: Int): Int = {
    val count = ((head & 1) << 8 | next()) + 1
    val (base, gaps) = (next(), next())
    val patch = widths.getClosestFixedBits(SerializationUtils.decodeBitWidth(base & 31) + (gaps >>> 5 & 7) + 1)
    skip(
      (base >>> 5 & 7) + 1 + packed(SerializationUtils.decodeBitWidth(head >>> 1 & 31), count) + packed(
        patch,
        gaps & 31
      )
    )
    count
  }

  private def packed(width: Int, count: Int): Int = (width * math.max(0, count) + 7) / 8

  private def skipNumber(): Unit = while (next() >= 128) {}

  private def next(): Int = {
    val byte = bytes.read()
    if (byte < 0) throw ended else byte
  }

  private def skip(count: Int): Unit = {
    var left = count
    while (left > 0) {
      val read = bytes.read(skipped, 0, math.min(left, skipped.length))
      if (read < 0) throw ended
      left -= read
    }
  }

  private def ended = new EOFException("a stream of integers ends before its last row")
}
