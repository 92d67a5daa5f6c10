package hiveacid.formats.orc

import java.io.{FileNotFoundException, InterruptedIOException, IOException, RandomAccessFile}
import java.net.SocketTimeoutException

import scala.util.Try

import hiveacid.AcidOrcSuite
import hiveacid.errors.AcidException
import hiveacid.formats.ReadErrors
import org.apache.hadoop.fs.Path
import org.apache.hadoop.security.AccessControlException

/** A file that cannot be read is an error that names it, also where Spark is told to ignore such files. */
class ErrorsSuite extends AcidOrcSuite {
  private val ignoring =
    Seq("spark.sql.files.ignoreMissingFiles" -> "true", "spark.sql.files.ignoreCorruptFiles" -> "true")

  private def table(): Table = {
    val t = new Table("id bigint, s string", "struct<id:bigint,s:string>")
    t.insert(spark.range(0, 20000, 1, 1).selectExpr("id", "uuid() as s"))
    t
  }

  private def withDeletes(): Table = {
    val t = table()
    t.delete("id % 5 = 0")
    t
  }

  private def onlyFile(t: Table, folders: Seq[String]): Path = t.bucketFiles(folders.head).head.getPath

  private def open(path: Path)(body: RandomAccessFile => Unit): Unit = {
    val fs = path.getFileSystem(spark.sessionState.newHadoopConf())
    fs.delete(new Path(path.getParent, s".${path.getName}.crc"), false)
    val file = new RandomAccessFile(path.toUri.getPath, "rw")
    try body(file)
    finally file.close()
  }

  private def remove(path: Path): Unit = path.getFileSystem(spark.sessionState.newHadoopConf()).delete(path, false)

  /** A file that is another than the listed one might be another table's; listed anew, it is a damaged one. */
  private def checkError(t: Table, path: Path)(damage: => Unit): Unit = {
    val rows = t.read().selectExpr("sum(id)", "max(s)", "count(*)")
    rows.queryExecution.executedPlan // the files are listed before they are damaged
    damage
    withConf(ignoring: _*) {
      val attempts = Seq(
        rows -> "HIVE_ACID_SNAPSHOT_UNAVAILABLE",
        t.read().selectExpr("sum(id)", "max(s)") -> "HIVE_ACID_CORRUPT_FILE"
      )
      for ((attempt, expected) <- attempts) {
        val error = acidError(attempt.collect())
        assertEquals(error.mainCondition, expected)
        assert(error.getMessage.contains(path.getName) && error.getMessage.contains("db.t"), error.getMessage)
      }
    }
  }

  test("a data file that is cut") {
    val t = table()
    val path = onlyFile(t, t.dataFolders)
    checkError(t, path)(open(path)(f => f.setLength(f.length / 2)))
  }

  test("a data file with damaged bytes inside") {
    val t = table()
    val path = onlyFile(t, t.dataFolders)
    checkError(t, path)(open(path) { f =>
      f.seek(f.length / 2)
      f.write(Array.fill[Byte](2000)(0x55))
    })
  }

  test("a data file that is gone") {
    val t = table()
    val path = onlyFile(t, t.dataFolders)
    val files = t.files()
    remove(path)
    withConf(ignoring: _*) {
      val error = acidError(t.read(files = files).count())
      assertEquals(error.condition, "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
      assert(error.getMessage.contains(path.toString), error.getMessage)
    }
  }

  test("a delete file that is cut") {
    val t = withDeletes()
    val path = onlyFile(t, t.deleteFolders)
    checkError(t, path)(open(path)(f => f.setLength(f.length - 100)))
  }

  test("a delete file that is gone") {
    val t = withDeletes()
    val files = t.files()
    remove(onlyFile(t, t.deleteFolders))
    withConf(ignoring: _*)(
      assertEquals(acidError(t.read(files = files).count()).condition, "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
    )
  }

  test("a delete file that has lost its content since it was listed") {
    val t = withDeletes()
    val path = onlyFile(t, t.deleteFolders)
    checkError(t, path)(open(path)(_.setLength(0)))
  }

  test("a delete file with the events of another since it was listed") {
    val t = withDeletes()
    val path = onlyFile(t, t.deleteFolders)
    val rows = t.read().selectExpr("sum(id)")
    rows.queryExecution.executedPlan
    val other = withDeletes()
    open(path) { f =>
      f.setLength(0)
      f.write(
        java.nio.file.Files.readAllBytes(java.nio.file.Path.of(onlyFile(other, other.deleteFolders).toUri.getPath))
      )
    }
    path.getFileSystem(spark.sessionState.newHadoopConf()).setTimes(path, 1, -1)
    assertEquals(acidError(rows.collect()).condition, "HIVE_ACID_SNAPSHOT_UNAVAILABLE")
  }

  test("a file that may not be read is denied, and not missing") {
    val path = new Path("/table/delta_0000001_0000001_0000/bucket_00000")
    val refusals = Seq(
      new AccessControlException("Permission denied: user=ada, access=READ"),
      new FileNotFoundException(s"$path (Permission denied)")
    )
    for (refusal <- refusals) {
      val error = acidError(ReadErrors("db.t").guard(path)(throw refusal))
      assertEquals(error.condition, "HIVE_ACID_STORAGE_DENIED")
      assert(error.getMessage.contains(path.toString), error.getMessage)
    }
  }

  test("storage that does not answer in time is no interrupt and no damage") {
    val path = new Path("/table/delta_0000001_0000001_0000/bucket_00000")
    val late = new SocketTimeoutException("Read timed out")
    assertEquals(acidError(ReadErrors("db.t").guard(path)(throw late)).condition, "HIVE_ACID_STORAGE")
    for (error <- Seq(late, new InterruptedIOException("Timed out in the pool"))) {
      val text = path.toString
      val ran = Try(spark.sparkContext.parallelize(Seq(1), 1).foreach { _ =>
        ReadErrors("db.t").guard(new Path(text))(throw error)
      })
      val causes = Iterator.iterate[Throwable](ran.failed.get)(_.getCause).takeWhile(_ != null).toSeq
      assert(causes.collect { case e: AcidException => e.condition }.contains("HIVE_ACID_STORAGE"), causes)
    }
  }

  test("what cannot be fetched from the driver is no file that is left out") {
    val path = new Path("/table/delta_0000001_0000001_0000/bucket_00000")
    val error = acidError(ReadErrors("db.t").fetched(path)(throw new IOException("Failed to get broadcast_1")))
    assertEquals(error.condition, "HIVE_ACID_STORAGE")
  }

  test("an ORC file without the six columns, in a data folder or among the delete files") {
    val t = withDeletes()
    for (folder <- Seq("delta_0000008_0000008_0000", "delete_delta_0000008_0000008_0000")) {
      val plain = new Path(temporaryFolder(), "plain")
      spark.range(10).coalesce(1).write.orc(plain.toString)
      val fs = plain.getFileSystem(t.conf)
      fs.mkdirs(t.path(folder, "x").getParent)
      val part = fs.listStatus(plain).map(_.getPath).find(_.getName.startsWith("part-")).get
      fs.rename(part, t.path(folder, "bucket_00000"))
    }
    val (data, deletes) = (t.dataFolders, t.deleteFolders)
    t.dataFolders = data :+ "delta_0000008_0000008_0000"
    assertEquals(acidError(t.read().count()).condition, "HIVE_ACID_CORRUPT_FILE.SCHEMA")
    t.dataFolders = data
    t.deleteFolders = deletes :+ "delete_delta_0000008_0000008_0000"
    assertEquals(acidError(t.read().count()).condition, "HIVE_ACID_CORRUPT_FILE.SCHEMA")
  }

  test("a file of ACID version 1, which holds updates, with statistics or without") {
    for (stride <- Seq("10000", "0")) {
      val t = table()
      t.conf.set("orc.row.index.stride", stride)
      t.conf.set("orc.create.index", (stride != "0").toString)
      val writer = new ForeignWriter(t.path("delta_0000002_0000002", "bucket_00000"), t)
      for (r <- 0L until 5L) writer.row(2, 0, r, 2, r, operation = if (r == 3) 1 else 0)
      writer.close()
      t.dataFolders :+= "delta_0000002_0000002"
      val error = acidError(t.read().where("id = 77777").collect())
      assertEquals(error.condition, "HIVE_ACID_UNSUPPORTED_LAYOUT.NOT_INSERTS")
      assert(error.getMessage.contains("delta_0000002_0000002"), error.getMessage)
    }
  }

  test("a file without rows and footer keys, and one of no bytes, hold no rows") {
    val t = table()
    val writer = new ForeignWriter(t.path("base_0000000", "bucket_00000"), t)
    writer.close()
    t.path("base_0000000", "x").getFileSystem(t.conf).create(t.path("base_0000000", "bucket_00001")).close()
    t.dataFolders :+= "base_0000000"
    assertEquals(t.read().count(), 20000L)
  }

  test("a bucket property of an unknown version is refused as soon as deletes must be looked up") {
    val t = table()
    val writer = new ForeignWriter(t.path("delta_0000002_0000002", "bucket_00000"), t)
    writer.row(2, 2 << 29, 0, 2, 5)
    writer.close()
    t.dataFolders :+= "delta_0000002_0000002"
    t.delete("id = 3 and ROW__ID.writeid = 1")
    assertEquals(acidError(t.read().count()).mainCondition, "HIVE_ACID_CORRUPT_FILE")
  }
}
