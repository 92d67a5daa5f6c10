package hiveacid.formats.orc

import java.io.{File, RandomAccessFile}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, StandardCopyOption}

import scala.util.{Random, Try}

import hiveacid.AcidOrcSuite
import hiveacid.compact.DeleteEvents
import hiveacid.errors.AcidException
import hiveacid.formats.{FileSettings, ReadErrors}
import hiveacid.values.BucketProperty
import hiveacid.wire.{DeleteFolder, FoldedFile, PartitionDeletes, Wire}
import hiveacid.write.SpecChanges.compression
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{CompressionKind, OrcFile}

/** Storage that gives other bytes back than it was given: a delete file is refused, or says what it said. */
class DamagedDeletesSuite extends AcidOrcSuite {
  // ORC itself takes billions of steps where a stream ends within a run (SerializationUtils.readLongBE): 50 at length
  private val damages = sys.env.get("HIVE_ACID_DAMAGED_FILES").fold(6)(_.toInt)
  private val folder = "delete_delta_0000009_0000009_0000"
  private val property = BucketProperty.encode(0, 0)

  /** Events of several write IDs; in each are runs of rows and single ones. */
  private def events(random: Random): Seq[(Long, Long)] =
    for (w <- 1L to 3L; r <- 0L until 9000L if r % 3000 < 200 || random.nextInt(5) == 0) yield (w, r)

  private def ours(path: Path, t: Table, compression: String, events: Seq[(Long, Long)]): Unit = {
    val writer = new DeleteFileWriter(path, t.conf, FileSettings(9, t.rowType, compression))
    events.foreach { case (w, r) => writer.write(w, property, r) }
    writer.finish()
  }

  /** As a minor compaction of Hive 3.1 writes: without a row index, and therefore without statistics. */
  private def withoutStatistics(path: Path, t: Table, compression: String, events: Seq[(Long, Long)]): Unit = {
    val schema = AcidFileWriter.schemaOf(t.rowType)
    val options = OrcFile.writerOptions(t.conf).setSchema(schema).compress(CompressionKind.valueOf(compression))
    val writer = OrcFile.createWriter(path, options.rowIndexStride(0).buildIndex(false))
    val batch = schema.createRowBatch()
    batch.cols(FileSchema.Row).noNulls = false
    java.util.Arrays.fill(batch.cols(FileSchema.Row).isNull, true)
    def flush(): Unit = { writer.addRowBatch(batch); batch.size = 0 }
    events.foreach { case (w, r) =>
      Seq(2L, w, property.toLong, r, 9L).zipWithIndex.foreach { case (value, c) =>
        batch.cols(c).asInstanceOf[LongColumnVector].vector(batch.size) = value
      }
      batch.size += 1
      if (batch.size == batch.getMaxSize) flush()
    }
    flush()
    writer.addUserMetadata("hive.acid.stats", UTF_8.encode(s"0,0,${events.length}"))
    writer.addUserMetadata("hive.acid.key.index", UTF_8.encode(s"${events.last._1},$property,${events.last._2};"))
    writer.close()
  }

  /** The file's content, read anew; the number makes it another one for the cache. */
  private def load(t: Table, number: Int): DeleteSet = {
    val path = t.path(folder, "x").getParent.toString
    val deletes = DeleteFolder(path, 9, 9, anyBucket = false, check = false, t.listed(folder))
    val text = Wire.write(PartitionDeletes(Seq(deletes), number.toString))
    new Deletes(DeletesSource(text), t.conf, ReadErrors("db.t")).forBucket(0)
  }

  private def damage(file: File, random: Random): String = {
    val bytes = new RandomAccessFile(file, "rw")
    try {
      val position = random.nextInt(file.length.toInt)
      random.nextInt(4) match {
        case 0 =>
          bytes.setLength(position.toLong)
          s"cut at $position"
        case 1 =>
          bytes.seek(position.toLong)
          val before = bytes.read()
          bytes.seek(position.toLong)
          bytes.write(before ^ 1 << random.nextInt(8))
          s"other bit at $position"
        case _ =>
          bytes.seek(position.toLong)
          bytes.write(new Array[Byte](math.min(64, file.length.toInt - position)))
          s"zeroes at $position"
      }
    } finally bytes.close()
  }

  for {
    (writer, write) <- Seq("ours" -> ours _, "one without statistics" -> withoutStatistics _)
    compression <- Seq("NONE", "ZLIB", "SNAPPY", "ZSTD", "LZ4")
    // without statistics, other numbers in the same order are as good as the right ones where bytes stand for themselves
    if writer == "ours" || !Set("NONE", "LZ4")(compression)
  } test(s"damaged at random: $compression, $writer") {
    val random = new Random(s"$writer $compression".hashCode)
    val t = new Table("id bigint, s string", "struct<id:bigint,s:string>")
    write(t.path(folder, "bucket_00000"), t, compression, events(random))
    val path = new File(t.path(folder, "bucket_00000").toUri.getPath)
    new File(path.getParentFile, s".${path.getName}.crc").delete()
    val pristine = new File(path.getParentFile.getParentFile, "pristine")
    Files.copy(path.toPath, pristine.toPath)
    val expected = load(t, 0)
    assert(!expected.isEmpty)
    var refused = 0
    for (number <- 1 to damages) {
      Files.copy(pristine.toPath, path.toPath, StandardCopyOption.REPLACE_EXISTING)
      val fault = damage(path, random)
      Try(load(t, number)).fold(
        {
          case e: AcidException => refused += 1; assert(e.getMessage.contains("bucket_00000"), e.getMessage)
          case other            => throw new AssertionError(s"$fault: $other", other)
        },
        found => assert(found == expected, s"$fault: other deletes")
      )
    }
    assert(refused > damages / 3, s"only $refused of $damages were seen")
  }

  test("a compaction of damaged deletes is refused") {
    val t = new Table("id bigint, s string", "struct<id:bigint,s:string>")
    ours(t.path(folder, "bucket_00000"), t, "NONE", events(new Random(1)))
    val path = new File(t.path(folder, "bucket_00000").toUri.getPath)
    new File(path.getParentFile, s".${path.getName}.crc").delete()
    val file =
      FoldedFile(path.toURI.toString, path.length, 9, 9, hasDeletes = false, isChecked = false, anyBucket = false, None)
    val bytes = new RandomAccessFile(path, "rw")
    // the first stripe's row IDs lie in the middle of it
    bytes.seek(path.length / 2)
    bytes.write(new Array[Byte](64))
    bytes.close()
    val rows = new DeleteEvents(file, 0, "", t.conf, ReadErrors("db.t"))
    val error =
      try acidError(while (rows.read() > 0) {})
      finally rows.close()
    assertEquals(error.mainCondition, "HIVE_ACID_CORRUPT_FILE")
  }

  test("rows whose IDs are damaged are refused wherever a file is read to its end with them") {
    val t = new Table("id bigint, s string", "struct<id:bigint,s:string>")
    t.insert(spark.range(0, 20000, 1, 1).selectExpr("id", "'x' as s"), compression("NONE"))
    t.delete("id % 3 = 0")
    val file = new File(t.bucketFiles(t.dataFolders.head).head.getPath.toUri.getPath)
    val whole = t.read().count()
    new File(file.getParentFile, s".${file.getName}.crc").delete()
    val pristine = Files.readAllBytes(file.toPath)
    val outcomes = for (position <- 0 until pristine.length - 64 by pristine.length / 40) yield {
      val bytes = pristine.clone()
      java.util.Arrays.fill(bytes, position, position + 64, 0.toByte)
      Files.write(file.toPath, bytes)
      Try(t.read().select("ROW__ID.rowid").count()).toOption
    }
    assert(outcomes.flatten.forall(_ == whole), s"$outcomes instead of $whole")
  }
}
