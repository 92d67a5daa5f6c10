package hiveacid.search

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.format.{Encoding, Util}
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser

final class ParquetDictionariesSuite extends munit.FunSuite {
  private val schema = MessageTypeParser.parseMessageType("message m { optional binary name (UTF8); }")

  private def texts(file: java.nio.file.Path): Seq[String] = {
    val found = Seq.newBuilder[String]
    new ParquetDictionaries(new Path(file.toUri), new Configuration).foreach(_ => true)((_, text) =>
      found += text.toString
    )
    found.result()
  }

  /** The footer tells of no page that uses the dictionary, as some writer may leave one behind that it has not used. */
  private def disuse(file: java.nio.file.Path): Unit = {
    val bytes = Files.readAllBytes(file)
    val length = java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8)
    val start = bytes.length - 8 - length
    val footer = Util.readFileMetaData(new java.io.ByteArrayInputStream(bytes, start, length))
    for (group <- footer.getRow_groups.asScala; chunk <- group.getColumns.asScala)
      chunk.getMeta_data.getEncoding_stats.forEach(_.setEncoding(Encoding.PLAIN))
    val out = new java.io.ByteArrayOutputStream
    out.write(bytes, 0, start)
    Util.writeFileMetaData(footer, out)
    out.write(java.nio.ByteBuffer.allocate(4).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(out.size - start).array)
    out.write("PAR1".getBytes)
    Files.write(file, out.toByteArray)
    Files.delete(file.resolveSibling(s".${file.getFileName}.crc"))
  }

  test("a dictionary that the reader passes over leaves its file unsearched") {
    val file = Files.createTempDirectory("dictionaries").resolve("f.parquet")
    val writer = ExampleParquetWriter.builder(new Path(file.toUri)).withType(schema).build()
    for (name <- Seq("Ada", "Ada", "Bo")) {
      val row = new SimpleGroup(schema)
      row.add("name", name)
      writer.write(row)
    }
    writer.close()
    assertEquals(texts(file), Seq("Ada", "Bo"))
    disuse(file)
    intercept[Unsearchable](texts(file))
  }
}
