package hiveacid.formats.orc

import hiveacid.AcidOrcSuite
import hiveacid.formats.{FileSettings, FileTimes}
import hiveacid.values.BucketProperty
import hiveacid.wire.FileVersion
import hiveacid.write.SpecChanges.compression
import org.apache.hadoop.fs.Path

/** Files of one path, one length and one time, as object stores have them that tell times in whole seconds: what was
  * read of the first does not answer for the second.
  */
class SamePathsSuite extends AcidOrcSuite {
  // in the future: the second in which the files are written goes on for the whole test
  private val secondMs = (System.currentTimeMillis() / 1000L + 600L) * 1000L

  /** Rows of one value: files of others are as long. */
  private def numbers(value: Int, count: Int = 5): Table = {
    val t = new Table("id bigint", "struct<id:bigint>")
    t.insert(spark.range(0, count, 1, 1).selectExpr(s"cast($value as bigint) as id"), compression("NONE"))
    stamp(t, fileOf(t))
    t
  }

  private def fileOf(t: Table): Path = t.bucketFiles(t.dataFolders.head).head.getPath

  private def stamp(t: Table, file: Path): Unit = file.getFileSystem(t.conf).setTimes(file, secondMs, -1)

  private def bytesOf(t: Table, file: Path): Array[Byte] = {
    val in = file.getFileSystem(t.conf).open(file)
    try in.readAllBytes()
    finally in.close()
  }

  /** The same path, length and time with other rows. */
  private def replace(t: Table, by: Table): Unit = {
    val (file, made) = (fileOf(t), bytesOf(by, fileOf(by)))
    assertEquals(made.length, bytesOf(t, file).length)
    t.patch(file)(_ => made)
    stamp(t, file)
  }

  test("a file is not left out by the statistics of the one before it") {
    val t = numbers(1)
    assertEquals(t.read().where("id = 1").count(), 5L)
    replace(t, by = numbers(2))
    assertEquals(t.read().where("id = 2").count(), 5L)
    assertEquals(t.read().where("id = 1").count(), 0L)
  }

  test("rows are not hidden by the deletes of the file before it") {
    val t = new Table("id bigint", "struct<id:bigint>")
    t.insert(spark.range(0, 10, 1, 1).toDF("id"))
    val folder = "delete_delta_0000002_0000002_0000"
    def delete(row: Long): Long = {
      val path = t.path(folder, "bucket_00000")
      path.getFileSystem(t.conf).delete(path, false)
      val writer = new DeleteFileWriter(path, t.conf, FileSettings(2, t.rowType, "ZLIB"))
      writer.write(1, BucketProperty.encode(0, 0), row)
      writer.finish()
      stamp(t, path)
      t.deleteFolders = Seq(folder)
      path.getFileSystem(t.conf).getFileStatus(path).getLen
    }
    def ids = t.read().collect().map(_.getLong(0)).toSeq
    val first = delete(3)
    assertEquals(ids, (0L until 10L).filter(_ != 3))
    assertEquals(delete(4), first)
    assertEquals(ids, (0L until 10L).filter(_ != 4))
  }

  test("rows are counted anew") {
    def counted(t: Table, path: Path) = {
      val found = path.getFileSystem(t.conf).getFileStatus(path)
      FileRowCounts.of(Seq(FileVersion(path.toString, found.getLen, found.getModificationTime)), t.conf, "db.t")
    }
    val t = numbers(1)
    assertEquals(counted(t, fileOf(t)), Seq(5L))
    replace(t, by = numbers(1, count = 6))
    assertEquals(counted(t, fileOf(t)), Seq(6L))
  }

  test("a time is settled if it is finer than a second, or older than three") {
    assert(FileTimes.isSettled(5001L, nowMs = 5001L))
    assert(!FileTimes.isSettled(5000L, nowMs = 5999L))
    assert(!FileTimes.isSettled(5000L, nowMs = 7999L))
    assert(FileTimes.isSettled(5000L, nowMs = 8000L))
  }
}
