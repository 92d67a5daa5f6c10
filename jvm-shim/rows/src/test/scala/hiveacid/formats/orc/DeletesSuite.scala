package hiveacid.formats.orc

import scala.util.Random

import hiveacid.AcidOrcSuite
import hiveacid.formats.{FileSettings, ReadErrors}
import hiveacid.values.BucketProperty
import hiveacid.write.SpecChanges.statementId
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile

import org.apache.spark.sql.DataFrame

class DeletesSuite extends AcidOrcSuite {
  override protected def settings: Map[String, String] = Map("spark.sql.files.maxPartitionBytes" -> "64k")

  private def table(): Table = new Table("id bigint, s string", "struct<id:bigint,s:string>")

  private def rows(from: Long, until: Long, tasks: Int = 2): DataFrame =
    spark.range(from, until, 1, tasks).selectExpr("id", "concat('row ', id) as s")

  private def ids(t: Table): Seq[Long] = t.read().select("id").collect().map(_.getLong(0)).sorted.toSeq

  /** Writes delete events as they are given, one file, through the file writer alone. */
  private def writeEvents(t: Table, folder: String, file: String, writeId: Long, events: (Long, Int, Long)*): Unit = {
    val path = t.path(folder, file)
    val writer = new DeleteFileWriter(path, t.conf, FileSettings(writeId, t.rowType, "ZLIB"))
    events.foreach { case (w, p, r) => writer.write(w, p, r) }
    writer.finish()
    if (!t.deleteFolders.contains(folder)) t.deleteFolders :+= folder
  }

  test("ROW__ID is hidden, unique, and numbers the rows of each write from 0") {
    val t = table()
    t.insert(rows(0, 10))
    t.insert(rows(10, 20), statementId(3))
    assertEquals(t.read().columns.toSeq, Seq("id", "s"))
    val found = t.read().select("ROW__ID.writeid", "ROW__ID.bucketid", "ROW__ID.rowid").collect().map(_.toString).toSet
    val expected = for (w <- 1 to 2; b <- 0 to 1; r <- 0 to 4) yield {
      s"[$w,${BucketProperty.encode(b, if (w == 1) 0 else 3)},$r]"
    }
    assertEquals(found, expected.toSet)
  }

  test("deleted rows are gone, whatever part of a table they are") {
    val conditions =
      Seq("id % 3 = 0", "id < 2500", "id >= 49000", "id between 20000 and 29999", "id = 40001", "false", "true")
    val t = table()
    t.insert(rows(0, 50000))
    t.insert(rows(50000, 60000, 1))
    for (condition <- conditions) {
      t.deleteFolders = Nil
      val report = t.delete(condition)
      sameRows(t.read(), rows(0, 60000).where(s"not ($condition)"))
      val deleted = rows(0, 60000).where(condition).count()
      assertEquals(t.read().count(), 60000 - deleted)
      assertEquals((report.counts.deleted, report.counts.inserted), (deleted, 0L))
    }
  }

  test("random deletes and inserts leave what a plain set leaves") {
    val random = new Random(7)
    val t = table()
    var kept = Set.empty[Long]
    for (round <- 0 until 12) {
      val from = round * 1000L
      t.insert(rows(from, from + 1000, 1 + random.nextInt(3)))
      kept ++= from until from + 1000
      val divisor = 2 + random.nextInt(20)
      val rest = random.nextInt(divisor)
      t.delete(s"id % $divisor = $rest and id < ${random.nextInt(from.toInt + 1001)}")
      val left = ids(t).toSet
      assert(left.subsetOf(kept))
      assert(kept.diff(left).forall(_ % divisor == rest))
      kept = left
    }
    withConf("spark.sql.orc.columnarReaderBatchSize" -> "7")(assertEquals(ids(t), kept.toSeq.sorted))
  }

  test("an event that is repeated, in one file or in several, deletes one row") {
    val t = table()
    t.insert(rows(0, 10, 1))
    val p = BucketProperty.encode(0, 0)
    writeEvents(t, "delete_delta_0000002_0000002_0000", "bucket_00000", 2, (1, p, 3), (1, p, 3), (1, p, 4))
    writeEvents(t, "delete_delta_0000003_0000003_0000", "bucket_00000", 3, (1, p, 3))
    assertEquals(ids(t), Seq[Long](0, 1, 2, 5, 6, 7, 8, 9))
  }

  test("events out of order, of other buckets, statements and write IDs, touch only the rows they name") {
    val t = table()
    t.insert(rows(0, 20, 2))
    val (b0, b1) = (BucketProperty.encode(0, 0), BucketProperty.encode(1, 0))
    // the copies that Hive 3.1's minor compaction makes: every event in every bucket's file
    val events =
      Seq((1L, b1, 9L), (1L, b0, 5L), (1L, b1, 0L), (1L, b0, 1L), (2L, b0, 2L), (1L, BucketProperty.encode(0, 1), 3L))
    writeEvents(t, "delete_delta_0000002_0000003", "bucket_00000", 2, events: _*)
    writeEvents(t, "delete_delta_0000002_0000003", "bucket_00001", 2, events: _*)
    assertEquals(ids(t), (0L until 20L).filterNot(Set(19L, 5L, 10L, 1L)))
  }

  test("a row is looked up in the delete files of its own bucket, not of its file's name") {
    val t = table()
    t.insert(rows(0, 20, 2))
    val fs = t.root.getFileSystem(t.conf)
    val (one, other) = (t.path(t.dataFolders.head, "bucket_00001"), t.path("delta_0000009_0000009", "bucket_00000_7"))
    fs.mkdirs(other.getParent)
    fs.rename(one, other)
    t.dataFolders :+= "delta_0000009_0000009"
    writeEvents(t, "delete_delta_0000002_0000002_0000", "bucket_00001_0", 2, (1, BucketProperty.encode(1, 0), 4))
    writeEvents(t, "delete_delta_0000002_0000002_0000", "bucket_00000", 2, (1, BucketProperty.encode(0, 0), 4))
    assertEquals(ids(t), (0L until 20L).filterNot(Set(4L, 14L)))
  }

  test("row IDs around and beyond 2^31 and 2^32 are told apart") {
    val big = Seq(0L, 5L, (1L << 31) - 1, 1L << 31, (1L << 32) - 1, 1L << 32, (1L << 32) + 5, 1L << 40)
    val victims = Seq(5L, 1L << 31, 1L << 32, 1L << 40)
    for (shuffled <- Seq(big, big.reverse)) {
      val t = table()
      val folder = "base_0000001"
      val writer = new ForeignWriter(t.path(folder, "bucket_00000"), t)
      shuffled.foreach(r => writer.row(1, BucketProperty.encode(0, 0), r, 1, r))
      writer.close()
      t.dataFolders = Seq(folder)
      val events = victims.map(r => (1L, BucketProperty.encode(0, 0), r))
      writeEvents(t, "delete_delta_0000002_0000002_0000", "bucket_00000", 2, events: _*)
      assertEquals(ids(t), big.filterNot(victims.toSet).sorted)
    }
  }

  test("a compacted base of many write IDs, unsorted or not, loses exactly the rows that were deleted") {
    val random = new Random(3)
    val keys =
      for (w <- 1L to 9L; b <- Seq(BucketProperty.encode(0, 0), BucketProperty.encode(0, 2), 0); r <- 0L until 200L)
        yield (w, b, r)
    for (order <- Seq(keys, random.shuffle(keys))) {
      val t = table()
      val writer = new ForeignWriter(t.path("base_0000009", "bucket_00000"), t)
      order.zipWithIndex.foreach { case ((w, b, r), i) => writer.row(w, b, r, w, i.toLong) }
      writer.close()
      t.dataFolders = Seq("base_0000009")
      val victims = random.shuffle(keys).take(700)
      writeEvents(t, "delete_delta_0000010_0000010_0000", "bucket_00000", 10, victims: _*)
      val left = t.read().select("ROW__ID.writeid", "ROW__ID.bucketid", "ROW__ID.rowid").collect()
      assertEquals(left.map(r => (r.getLong(0), r.getInt(1), r.getLong(2))).toSet, keys.toSet -- victims)
      assertEquals(left.length, keys.size - 700)
    }
  }

  test("rows and delete events of write IDs that the snapshot does not see count for nothing") {
    val t = table()
    val writer = new ForeignWriter(t.path("delta_0000001_0000010", "bucket_00000"), t)
    val p = BucketProperty.encode(0, 0)
    for (w <- 1L to 10L; r <- 0L until 3L) writer.row(w, p, r, w, w * 10 + r)
    writer.close()
    t.dataFolders = Seq("delta_0000001_0000010")
    t.checkedFolders = Set("delta_0000001_0000010", "delete_delta_0000006_0000006_0000")
    writeEvents(t, "delete_delta_0000002_0000002_0000", "bucket_00000", 2, (1, p, 0))
    writeEvents(t, "delete_delta_0000006_0000006_0000", "bucket_00000", 6, (1, p, 1))
    t.writeIds = "db.t:9:3:3:5-6,8"
    val visible = for (w <- Seq(1L, 2L, 4L, 7L, 9L); r <- 0L until 3L if w != 1 || r != 0) yield w * 10 + r
    assertEquals(ids(t), visible)
    t.writeIds = "db.t:4"
    val early = for (w <- 1L to 4L; r <- 0L until 3L if w != 1 || r != 0) yield w * 10 + r
    assertEquals(ids(t), early)
  }

  test("a file of several stripes that is read in splits returns each row once") {
    val t = table()
    withConf("orc.stripe.row.count" -> "10240", "orc.stripe.size" -> "40000") {
      spark.sparkContext.hadoopConfiguration.set("orc.stripe.row.count", "10240")
      t.insert(spark.range(0, 200000, 1, 1).selectExpr("id", "uuid() as s"))
      spark.sparkContext.hadoopConfiguration.unset("orc.stripe.row.count")
    }
    t.delete("id % 1000 = 7")
    val splits = t.read().rdd.getNumPartitions
    assert(splits > 10, s"$splits splits")
    assertEquals(ids(t), (0L until 200000L).filter(_ % 1000 != 7))
  }

  test("sets larger than the cache are still applied") {
    val t = table()
    t.insert(rows(0, 100000))
    t.delete("hash(id) % 3 = 0")
    val deletes = t.files().head.metadata(AcidOrcFileFormat.DeletesKey).toString
    val set = new Deletes(DeletesSource(deletes), t.conf, ReadErrors("db.t")).forBucket(0)
    assert(set.sizeInBytes > 5000)
    sameRows(t.read(), rows(0, 100000).where("hash(id) % 3 != 0"))
  }
}

/** Writes rows with any row ID and order, as other writers do. */
final class ForeignWriter(path: Path, table: AcidOrcSuite#Table) {
  import org.apache.hadoop.hive.ql.exec.vector.{BytesColumnVector, LongColumnVector, StructColumnVector}
  private val schema = AcidFileWriter.schemaOf(table.rowType)
  private val writer = OrcFile.createWriter(path, OrcFile.writerOptions(table.conf).setSchema(schema))
  private val batch = schema.createRowBatch()

  def row(writeId: Long, property: Int, rowId: Long, current: Long, id: Long, operation: Int = 0): Unit = {
    def set(column: Int, value: Long): Unit = batch.cols(column).asInstanceOf[LongColumnVector].vector(batch.size) =
      value
    Seq(operation.toLong, writeId, property.toLong, rowId, current).zipWithIndex.foreach { case (v, c) => set(c, v) }
    val fields = batch.cols(5).asInstanceOf[StructColumnVector].fields
    fields(0).asInstanceOf[LongColumnVector].vector(batch.size) = id
    fields(1).asInstanceOf[BytesColumnVector].setVal(batch.size, s"row $id".getBytes)
    batch.size += 1
    if (batch.size == batch.getMaxSize) flush()
  }

  def flush(): Unit = {
    writer.addRowBatch(batch)
    batch.reset()
  }

  def close(): Unit = {
    flush()
    writer.close()
  }
}
