package hiveacid.write

import scala.util.Using

import hiveacid.AcidOrcSuite
import hiveacid.values.{BucketProperty, InsertKind, UpdateKind}
import hiveacid.wire.{RowCounts, WriteResult}
import hiveacid.write.SpecChanges.{
  SpecChange,
  discards,
  keepsBuckets,
  maxBuckets,
  overwrites,
  partitionedBy,
  required,
  statementId,
  writeId
}
import org.apache.orc.OrcFile

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.{col, lit, udf}

class WriteJobSuite extends AcidOrcSuite {
  override protected def master: String = "local[2,3]" // a task may fail twice

  private def table(): Table = new Table("id bigint, s string", "struct<id:bigint,s:string>")

  private def rows(count: Long, tasks: Int) =
    spark.range(0, count, 1, tasks).selectExpr("id", "concat('row ', id) as s")

  private def names(t: Table): Seq[String] = {
    val fs = t.root.getFileSystem(t.conf)
    if (fs.exists(t.root)) fs.listStatus(t.root).map(_.getPath.getName).sorted.toSeq else Nil
  }

  private def folders(report: WriteResult): Seq[(String, Seq[String])] = report.folders.map(f => f.name -> f.files)

  test("an insert reports its folder, files, rows and bytes, and leaves nothing else in the staging folder") {
    val t = table()
    val report = t.insert(rows(100, 2), writeId(12345678), statementId(7))
    assertEquals(folders(report), Seq("delta_12345678_12345678_0007" -> Seq("bucket_00000", "bucket_00001")))
    val bytes = t.bucketFiles("delta_12345678_12345678_0007").map(_.getLen).sum
    assertEquals(report.folders.head.rows, 100L)
    assertEquals(report.folders.head.bytes, bytes)
    assertEquals((report.counts.inserted, report.counts.deleted), (100L, 0L))
    assertEquals(names(t), Seq("delta_12345678_12345678_0007"))
  }

  test("tasks without rows write no file, a write without rows no folder") {
    val t = table()
    assertEquals(
      folders(t.insert(rows(100, 4).where("id >= 75"))),
      Seq("delta_0000001_0000001_0000" -> Seq("bucket_00003"))
    )
    assertEquals(folders(t.insert(rows(100, 4).where("id < 0"))), Nil)
    assertEquals(folders(t.delete("id < 0")), Nil)
    assertEquals(names(t), Seq("delta_0000001_0000001_0000"))
  }

  test(
    "an overwrite writes a base, with no more files than there are buckets, for it has no statement ID in its name"
  ) {
    val t = table()
    val report = t.insert(rows(50, 5), overwrites, maxBuckets(2), writeId(7))
    assertEquals(folders(report), Seq("base_0000007" -> Seq("bucket_00000", "bucket_00001")))
    assertEquals(report.counts.inserted, 50L)
    sameRows(t.read(), rows(50, 1))
    assertEquals(t.read().select("ROW__ID").distinct().count(), 50L)
  }

  test("a NULL in a required column ends the job") {
    val t = table()
    val isRequired = required("s", 1)
    t.insert(rows(10, 2), isRequired)
    val error = acidError(t.insert(rows(10, 2).withColumn("s", lit(null).cast("string")), isRequired))
    assertEquals(error.condition, "HIVE_ACID_NULL_VALUE")
    assert(error.getMessage.contains("NULL in column s") && error.getMessage.contains("db.t"), error.getMessage)
    sameRows(t.read(), rows(10, 1))
  }

  test("a base without rows has one file without rows, for each partition") {
    val t = table()
    val spec = t.spec(InsertKind, overwrites, writeId(7))
    val report = WriteJob.runEmpty(spark, Seq("k=1", "k=2"), spec)
    assertEquals(folders(report), Seq.fill(2)("base_0000007" -> Seq("bucket_00000")))
    assertEquals(report.folders.map(_.partition), Seq("k=1", "k=2"))
    assertEquals(report.counts.inserted, 0L)
    t.dataFolders = Seq("k=1/base_0000007", "k=2/base_0000007")
    assertEquals(t.bucketFiles("k=1/base_0000007").map(_.getLen > 0), Seq(true))
    assertEquals(t.read().count(), 0L)
  }

  test("a job that discards reports what it would write, with all counts, and stores nothing") {
    def counts(report: WriteResult) = Seq(report.counts.inserted, report.counts.updated, report.counts.deleted)
    def bytes(report: WriteResult) = report.folders.map(_.bytes).sum
    val t = table()
    t.insert(rows(100, 4))
    val jobs = Seq[Seq[SpecChange] => WriteResult](
      more => t.insert(rows(50, 3), more: _*),
      more => t.delete("id % 3 = 0", more: _*)
    )
    for ((job, id) <- jobs.zip(Seq(8, 9))) {
      val (stored, data, deletes) = (names(t), t.dataFolders, t.deleteFolders)
      val dry = job(Seq(writeId(id), discards))
      assertEquals(names(t), stored)
      assertEquals(bytes(dry), 0L)
      t.dataFolders = data
      t.deleteFolders = deletes
      val real = job(Seq(writeId(id)))
      assertEquals(folders(dry), folders(real))
      assertEquals(counts(dry), counts(real))
      assert(counts(real).sum > 0 && bytes(real) > 0)
    }
    val stored = names(t)
    val empty = WriteJob.runEmpty(spark, Seq("k=1"), t.spec(InsertKind, overwrites, discards))
    assertEquals(folders(empty).map(_._2), Seq(Seq("bucket_00000")))
    assertEquals(names(t), stored)
  }

  test("tasks beyond the number of buckets go on with the next statement ID") {
    val t = table()
    val report = t.insert(rows(50, 5), maxBuckets(2), statementId(4))
    assertEquals(
      folders(report),
      Seq(
        "delta_0000001_0000001_0004" -> Seq("bucket_00000", "bucket_00001"),
        "delta_0000001_0000001_0005" -> Seq("bucket_00000", "bucket_00001"),
        "delta_0000001_0000001_0006" -> Seq("bucket_00000")
      )
    )
    assertEquals(t.read().select("ROW__ID").distinct().count(), 50L)
  }

  test("a task that fails and runs again leaves its rows once") {
    val t = table()
    val failing = udf { (id: Long) =>
      if (id % 2500 == 2400 && TaskContext.get().attemptNumber() < 2) throw new IllegalStateException("try again")
      id
    }
    t.insert(rows(5000, 2).select(failing(col("id")).as("id"), col("s")))
    sameRows(t.read(), rows(5000, 2))
    assertEquals(names(t), Seq("delta_0000001_0000001_0000"))
  }

  test("a task that fails for good fails the write, and nothing is published") {
    val t = table()
    intercept[Exception](t.insert(rows(5000, 2).selectExpr("if(id = 4999, raise_error('no'), id) as id", "s")))
    assert(names(t).forall(_.startsWith("attempt-")), names(t))
  }

  test("a delete has one file per bucket, sorted by write ID, signed property and row ID") {
    val t = table()
    t.insert(rows(3000, 3))
    t.insert(rows(3000, 3), statementId(2))
    val report = t.delete("id % 2 = 0", statementId(9))
    val names = Seq("bucket_00000", "bucket_00001", "bucket_00002")
    assertEquals(folders(report), Seq("delete_delta_0000003_0000003_0009" -> names))
    for (file <- names) {
      val columns = spark.read.orc(t.path("delete_delta_0000003_0000003_0009", file).toString)
      val events = columns
        .selectExpr("operation", "originalTransaction", "bucket", "rowId", "currentTransaction", "row is null")
        .collect()
        .toSeq
      assertEquals(events.length, 1000)
      assert(events.forall(e => e.getInt(0) == 2 && e.getLong(4) == 3 && e.getBoolean(5)))
      val keys = events.map(e => (e.getLong(1), e.getInt(2), e.getLong(3)))
      assertEquals(keys, keys.sorted)
      assert(keys.forall(k => f"bucket_${BucketProperty.bucketOf(k._2)}%05d" == file))
    }
  }

  test("a row that would be deleted twice, or has no row ID, fails the write") {
    val t = table()
    t.insert(rows(10, 1))
    val victims = t.read().select("ROW__ID")
    assertEquals(acidError(t.deleteRows(victims.union(victims.limit(1)))).condition, "HIVE_ACID_INTERNAL")
    val none = spark.sql("select cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>) as r")
    assertEquals(acidError(t.deleteRows(none)).condition, "HIVE_ACID_INTERNAL")
    assertEquals(t.read().count(), 10L)
  }

  test("an update deletes old versions in their buckets and writes the new ones to one under the next statement ID") {
    val t = table()
    t.insert(rows(3000, 3))
    val report = t.update("id % 3 = 0", "s" -> "concat(s, '!')")
    assertEquals(report.counts, RowCounts(0, 1000, 0, 0))
    val names = Seq("bucket_00000", "bucket_00001", "bucket_00002")
    val Seq(deletes, (folder, versions)) = folders(report)
    assertEquals(deletes, "delete_delta_0000002_0000002_0000" -> names)
    assertEquals(folder, "delta_0000002_0000002_0001")
    assert(versions.length == 1 && names.contains(versions.head), versions)
    sameRows(t.read(), rows(3000, 3).selectExpr("id", "if(id % 3 = 0, concat(s, '!'), s) as s"))
    assertEquals(t.read().where("s like '%!' and (ROW__ID.bucketid & 4095) != 1").count(), 0L)
    t.update("true", "id" -> "id + 10000")
    sameRows(t.read(), rows(3000, 3).selectExpr("id + 10000", "if(id % 3 = 0, concat(s, '!'), s) as s"))
  }

  test("files of few rows, and those of deletes, have small buffers, which readers make room for") {
    val t = table()
    def buffers(folder: String) = t.bucketFiles(folder).map { file =>
      Using.resource(OrcFile.createReader(file.getPath, OrcFile.readerOptions(t.conf)))(_.getCompressionSize)
    }
    t.insert(rows(20000, 1))
    t.insert(rows(100, 1))
    t.update("id < 5", "s" -> "'?'")
    val changed = Seq("delete_delta_0000003_0000003_0000", "delta_0000003_0000003_0001")
    assertEquals(changed.flatMap(buffers).toSet + buffers("delta_0000002_0000002_0000").max, Set(32 << 10))
    assertEquals(buffers("delta_0000001_0000001_0000"), Seq(256 << 10))
  }

  test("new versions of a bucketed table's rows stay in their buckets") {
    val t = table()
    t.insert(rows(3000, 3))
    val changes = t.read().selectExpr("cast(1 as tinyint) as __change", "ROW__ID as __row_id", "id", "s")
    val report = t.run(changes, UpdateKind, keepsBuckets)
    assertEquals(folders(report).map(_._2), Seq.fill(2)(Seq("bucket_00000", "bucket_00001", "bucket_00002")))
  }

  test("new versions come to lie in each of the buckets in turn") {
    val t = table()
    t.insert(rows(300, 3))
    val buckets = (0 until 20).map(i => folders(t.update(s"id % 20 = $i", "s" -> "concat(s, '!')")).last._2)
    assert(buckets.forall(_.length == 1), buckets)
    assertEquals(buckets.flatten.distinct.length, 3)
    sameRows(t.read(), rows(300, 3).selectExpr("id", "concat(s, '!') as s"))
    val sizes = t.read().groupBy("ROW__ID.bucketid").count().collect().map(_.getLong(1))
    assert(sizes.max < 200, sizes.toSeq)
  }

  test("rows of a partitioned table go to one file per partition, with names escaped as Hive escapes them") {
    val t = table()
    val keys = Seq("a", "b/c=%", "", null)
    val changes = spark
      .range(0, 400, 1, 3)
      .selectExpr(
        "cast(0 as tinyint) as __change",
        "cast(null as struct<writeid:bigint,bucketid:int,rowid:bigint>) as __row_id",
        "id",
        "'x' as s",
        "element_at(array('a', 'b/c=%', '', null), cast(id % 4 as int) + 1) as k"
      )
    val report = t.run(changes, InsertKind, partitionedBy("k"))
    val found = report.folders.map(f => f.partition -> f.rows)
    assertEquals(found, Seq("k=__HIVE_DEFAULT_PARTITION__" -> 200L, "k=a" -> 100L, "k=b%2Fc%3D%25" -> 100L))
    assertEquals(found.map(_._2).sum, keys.length * 100L)
    found.foreach { case (partition, count) =>
      val folder =
        new org.apache.hadoop.fs.Path(new org.apache.hadoop.fs.Path(t.root, partition), "delta_0000001_0000001_0000")
      val files = t.root.getFileSystem(t.conf).listStatus(folder).map(_.getPath.getName).filter(_.startsWith("bucket_"))
      assertEquals(files.toSeq, Seq("bucket_00000"))
      val ids = Seq("operation", "originalTransaction", "bucket", "rowId", "currentTransaction", "row is null")
      val written = spark.read.orc(new org.apache.hadoop.fs.Path(folder, "bucket_00000").toString).selectExpr(ids: _*)
      assertEquals(written.collect().length.toLong, count)
    }
  }

  test("columns of other types than the table's are refused before a task starts") {
    val t = table()
    val error = acidError(t.insert(spark.sql("select 1 as id, 'a' as s")))
    assertEquals(error.condition, "HIVE_ACID_INTERNAL")
    assertEquals(acidError(t.insert(spark.sql("select 1L as id"))).condition, "HIVE_ACID_INTERNAL")
    assertEquals(names(t), Nil)
  }

  test("cancelling the job group ends the write") {
    val t = table()
    val slow = udf { (id: Long) => WriteJobSuite.started = true; Thread.sleep(50); id }
    val work = new Thread(() => {
      spark.sparkContext.setJobGroup("write to cancel", "", interruptOnCancel = true)
      WriteJobSuite.failure =
        try { t.insert(rows(100000, 2).select(slow(col("id")).as("id"), col("s"))); None }
        catch { case e: Throwable => Some(e) }
    })
    work.start()
    eventually(WriteJobSuite.started)
    spark.sparkContext.cancelJobGroup("write to cancel")
    work.join(60000)
    assert(!work.isAlive)
    assert(WriteJobSuite.failure.exists(_.getMessage.contains("cancelled")), WriteJobSuite.failure)
    assert(names(t).forall(_.startsWith("attempt-")), names(t))
  }

  private def eventually(condition: => Boolean): Unit = {
    val end = System.nanoTime() + 60L * 1000000000L
    while (!condition && System.nanoTime() < end) Thread.sleep(10)
    assert(condition)
  }
}

object WriteJobSuite {
  @volatile var started = false
  @volatile var failure: Option[Throwable] = None
}
