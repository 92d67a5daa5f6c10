package hiveacid.compact

import java.io.Closeable

import scala.jdk.CollectionConverters._
import scala.util.Using

import hiveacid.formats.{CountedOutputFile, FileSettings, ReadErrors}
import hiveacid.wire.FoldedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.parquet.hadoop.{ParquetReader, ParquetWriter}
import org.apache.parquet.hadoop.api.{ReadSupport, WriteSupport}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType

/** Folds Parquet files of one form into one, in larger row groups. Values are those that the files store: neither
  * Spark's types, which lack the nanoseconds of a TIMESTAMP, nor the table's columns come in between, so that every
  * engine goes on to read of each row what it read before.
  */
final class ParquetFolding(table: String, settings: FileSettings, conf: Configuration) extends FlatFolding {
  import ParquetFolding._

  private val errors = ReadErrors(table)
  private var read = Map.empty[String, FormedFile]

  override def partsOf(files: Seq[FoldedFile]): Seq[Seq[FoldedFile]] = {
    val formed = files.map(ParquetSchemaKey.read(_, conf, errors))
    read = formed.map(one => one.file.path -> one).toMap
    val filled = formed.filter(_.rows > 0)
    filled.map(_.form).distinct.map(form => filled.filter(_.form == form).map(_.file))
  }

  override def fold(part: Seq[FoldedFile], path: Path, goesOn: () => Unit): Folded = {
    val formed = part.map(file => read(file.path))
    // what is said of all files is true of all rows
    val metadata = formed.map(_.metadata.toSet).reduce(_ & _).toMap
    val file = new CountedOutputFile(path, conf)
    Using.resource(open(file, formed.head.schema, metadata)) { writer =>
      formed.foreach(copy(_, writer, goesOn))
    }
    Folded(formed.map(_.rows).sum, file.bytes)
  }

  private def copy(from: FormedFile, writer: ParquetWriter[OpenRecords], goesOn: () => Unit): Unit =
    Using.resource(new OpenRecords(from, conf, errors)) { records =>
      var row = 0L
      while (row < from.rows) {
        if (row % RowsBetweenLooks == 0) goesOn()
        writer.write(records)
        row += 1
      }
    }

  private def open(
      file: CountedOutputFile,
      schema: MessageType,
      metadata: Map[String, String]
  ): ParquetWriter[OpenRecords] = {
    val own = new Configuration(conf)
    own.unset(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME)
    new Writer(file, new NextRecord(schema, metadata))
      .withConf(own)
      .withCompressionCodec(CompressionCodecName.valueOf(settings.compression))
      .withWriterVersion(WriterVersion.PARQUET_1_0)
      .build()
  }
}

object ParquetFolding {
  private val RowsBetweenLooks = 1024

  /** The records of a file, each of which is read when it is written. */
  private final class OpenRecords(from: FormedFile, conf: Configuration, errors: ReadErrors) extends Closeable {
    private val path = new Path(from.file.path)
    private val copy = new RecordCopy
    private val reader =
      errors.guard(path)(new Reader(HadoopInputFile.fromPath(path, conf), copy).withConf(conf).build())

    def next(consumer: RecordConsumer): Unit = {
      copy.consumer = consumer
      if (errors.guard(path)(reader.read()) == null)
        throw errors.corrupt(path, "HIVE_ACID_CORRUPT_FILE.FEWER_ROWS", "rows" -> from.rows.toString)
    }

    override def close(): Unit = reader.close()
  }

  private class Reader(file: InputFile, copy: RecordCopy) extends ParquetReader.Builder[RecordCopy](file) {
    override protected def getReadSupport(): ReadSupport[RecordCopy] = copy
  }

  private class Writer(file: CountedOutputFile, support: WriteSupport[OpenRecords])
      extends ParquetWriter.Builder[OpenRecords, Writer](file) {
    override protected def self(): Writer = this
    override protected def getWriteSupport(conf: Configuration): WriteSupport[OpenRecords] = support
  }

  private class NextRecord(schema: MessageType, metadata: Map[String, String]) extends WriteSupport[OpenRecords] {
    private var consumer: RecordConsumer = _

    override def init(conf: Configuration): WriteSupport.WriteContext =
      new WriteSupport.WriteContext(schema, metadata.asJava)

    // for each row group
    override def prepareForWrite(next: RecordConsumer): Unit = consumer = next

    override def write(records: OpenRecords): Unit = records.next(consumer)
  }
}
