package hiveacid.search

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.{DataReader, OrcProto, Reader, StripeInformation}
import org.apache.orc.OrcProto.ColumnEncoding.Kind.{DICTIONARY, DICTIONARY_V2}
import org.apache.orc.OrcProto.Stream.Kind
import org.apache.orc.impl.{
  BufferChunk,
  BufferChunkList,
  DataReaderProperties,
  InStream,
  OrcCodecPool,
  RecordReaderUtils,
  RunLengthIntegerReader,
  RunLengthIntegerReaderV2
}

import org.apache.spark.unsafe.types.UTF8String

/** The dictionaries of texts in an ORC file, one of each stripe and column, read as they lie in it: also a text that no
  * row refers to. The writers of ORC make none such; who changes a file in place may.
  */
final class OrcDictionaries(path: Path, reader: Reader, conf: Configuration) {

  /** Hands over each text of these columns, by ORC's numbers. One dictionary is in memory at a time. */
  def foreach(columns: Set[Int])(take: (Int, UTF8String) => Unit): Unit = if (columns.nonEmpty) {
    val data = open()
    try {
      data.open()
      reader.getStripes.asScala.foreach(readStripe(data, _, columns, take))
    } finally data.close()
  }

  private def open(): DataReader = {
    val compression = InStream
      .options()
      .withCodec(OrcCodecPool.getCodec(reader.getCompressionKind))
      .withBufferSize(reader.getCompressionSize)
    val properties = DataReaderProperties
      .builder()
      .withFileSystem(path.getFileSystem(conf))
      .withPath(path)
      .withCompression(compression)
    RecordReaderUtils.createDefaultDataReader(properties.build())
  }

  private def readStripe(
      data: DataReader,
      stripe: StripeInformation,
      columns: Set[Int],
      take: (Int, UTF8String) => Unit
  ): Unit = {
    val footer = data.readStripeFooter(stripe)
    val streams = footer.getStreamsList.asScala.toSeq
    val offsets = streams.scanLeft(stripe.getOffset)(_ + _.getLength)
    def stream(column: Int, kind: Kind): Option[InStream] = streams.zip(offsets).collectFirst {
      case (s, offset) if s.getColumn == column && s.getKind == kind && s.getLength > 0 => read(data, s, offset)
    }
    for {
      column <- columns.toSeq.sorted if column < footer.getColumnsCount
      encoding = footer.getColumns(column)
      isOfNewForm = encoding.getKind == DICTIONARY_V2 if isOfNewForm || encoding.getKind == DICTIONARY
      texts <- stream(column, Kind.DICTIONARY_DATA)
      lengths <- stream(column, Kind.LENGTH)
    } {
      val next =
        if (isOfNewForm) new RunLengthIntegerReaderV2(lengths, false, false)
        else new RunLengthIntegerReader(lengths, false)
      (0 until encoding.getDictionarySize).foreach { _ =>
        val bytes = new Array[Byte](next.next().toInt)
        fill(texts, bytes)
        take(column, UTF8String.fromBytes(bytes))
      }
    }
  }

  private def read(data: DataReader, stream: OrcProto.Stream, offset: Long): InStream = {
    val ranges = new BufferChunkList
    ranges.add(new BufferChunk(offset, stream.getLength.toInt))
    val read = data.readFileData(ranges, false)
    InStream.create("dictionary", read.get, offset, stream.getLength, data.getCompressionOptions)
  }

  private def fill(in: InStream, bytes: Array[Byte]): Unit = {
    var at = 0
    while (at < bytes.length) {
      val count = in.read(bytes, at, bytes.length - at)
      if (count < 0) throw new Unsearchable("a dictionary ends before its last text")
      at += count
    }
  }
}
