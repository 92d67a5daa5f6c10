package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import hiveacid.AcidOrcSuite
import hiveacid.formats.FileSettings
import hiveacid.values.{BucketProperty, WallClock}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{CompressionKind, IntegerColumnStatistics, OrcFile, Reader}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** The footer keys are compared with what an independent pass over the stripes finds. */
class FooterSuite extends AcidOrcSuite {
  private val rowType = "struct<id:bigint,s:string>"

  private def withReader[T](path: Path)(body: Reader => T): T = {
    val reader = OrcFile.createReader(path, OrcFile.readerOptions(new Configuration))
    try body(reader)
    finally reader.close()
  }

  private def metadata(reader: Reader, key: String): String = UTF_8.decode(reader.getMetadataValue(key)).toString

  /** The six columns' numbers of the last row of every stripe, and of all rows. */
  private def lastKeys(reader: Reader): Seq[String] = reader.getStripes.asScala.toSeq.map { stripe =>
    val rows = reader.rows(reader.options().range(stripe.getOffset, stripe.getLength))
    val batch = reader.getSchema.createRowBatch()
    var last = ""
    while (rows.nextBatch(batch)) {
      def value(c: Int) = {
        val v = batch.cols(c).asInstanceOf[LongColumnVector]
        v.vector(if (v.isRepeating) 0 else batch.size - 1)
      }
      last = s"${value(1)},${value(2)},${value(3)};"
    }
    rows.close()
    last
  }

  private def conf(stripeRows: Long, stripeBytes: Long = 64L << 20): Configuration = {
    val conf = new Configuration
    conf.setLong("orc.stripe.row.count", stripeRows)
    conf.setLong("orc.stripe.size", stripeBytes)
    conf
  }

  private def writeInserts(count: Int, conf: Configuration, compression: String = "ZLIB"): Path = {
    val path = new Path(temporaryFolder(), "bucket_00002")
    val settings = FileSettings(17, rowType, compression)
    val property = BucketProperty.encode(2, 1)
    val writer =
      new InsertFileWriter(
        path,
        conf,
        settings,
        property,
        Seq(LongType, StringType),
        2,
        new WallClock(java.time.ZoneId.of("UTC"))
      )
    val random = new scala.util.Random(1)
    for (i <- 0 until count) {
      val text = UTF8String.fromString(random.alphanumeric.take(100).mkString)
      writer.write(InternalRow(0.toByte, null, i.toLong, text))
    }
    writer.finish()
    writer.close()
    assertEquals(writer.rows, count.toLong)
    path
  }

  private def writeDeletes(count: Int, conf: Configuration): Path = {
    val path = new Path(temporaryFolder(), "bucket_00002")
    val writer = new DeleteFileWriter(path, conf, FileSettings(17, rowType, "ZLIB"))
    for (i <- 0 until count) writer.write(5L + i / 1000, BucketProperty.encode(2, 0), i * 3L)
    writer.finish()
    path
  }

  // one row, one batch, around the batch and the row group, many stripes cut by rows or by size
  private val cases = for {
    count <- Seq(0, 1, 1023, 1024, 1025, 10000, 12288, 50000)
    conf <- Seq(
      "one stripe" -> conf(Long.MaxValue),
      "stripes of 2,000 rows" -> conf(2000),
      "stripes of 100 kB" -> conf(Long.MaxValue, 100000)
    )
  } yield (count, conf._1, conf._2)

  for ((count, name, conf) <- cases) {
    test(s"an insert file of $count rows in $name has exact footer keys") {
      withReader(writeInserts(count, conf)) { reader =>
        assertEquals(metadata(reader, "hive.acid.key.index"), lastKeys(reader).mkString)
        assertEquals(metadata(reader, "hive.acid.stats"), s"$count,0,0")
        assertEquals(metadata(reader, "hive.acid.version"), "2")
        assertEquals(reader.getNumberOfRows, count.toLong)
        if (count == 50000 && name != "one stripe")
          assert(reader.getStripes.size > 3, s"${reader.getStripes.size} stripes")
        if (count > 0)
          assertEquals(metadata(reader, "hive.acid.key.index").split(";").last, s"17,537001985,${count - 1}")
      }
    }
    test(s"a delete file of $count events in $name has exact footer keys") {
      withReader(writeDeletes(count, conf)) { reader =>
        assertEquals(metadata(reader, "hive.acid.key.index"), lastKeys(reader).mkString)
        assertEquals(metadata(reader, "hive.acid.stats"), s"0,0,$count")
        assertEquals(metadata(reader, "hive.acid.version"), "2")
        val row = reader.getStatistics()(6)
        if (count > 0) assertEquals((row.getNumberOfValues, row.hasNull), (0L, true))
      }
    }
  }

  test("the schema is the six columns in Hive's spelling, the statistics of the IDs are exact") {
    withReader(writeInserts(20000, conf(8000), "SNAPPY")) { reader =>
      assertEquals(
        reader.getSchema.toString,
        "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint," +
          s"row:$rowType>"
      )
      assertEquals(reader.getCompressionKind, CompressionKind.SNAPPY)
      assertEquals(reader.getFileVersion, OrcFile.Version.V_0_12)
      assertEquals(reader.getRowIndexStride, 10000)
      val ranges = (1 to 5)
        .map(reader.getStatistics()(_).asInstanceOf[IntegerColumnStatistics])
        .map(s => (s.getMinimum, s.getMaximum))
      assertEquals(ranges, Seq((0L, 0L), (17L, 17L), (537001985L, 537001985L), (0L, 19999L), (17L, 17L)))
    }
  }
}
