package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.UTF_8

import hiveacid.AcidOrcSuite
import hiveacid.values.BucketProperty
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.hadoop.hive.ql.exec.vector.{BytesColumnVector, LongColumnVector, StructColumnVector}
import org.apache.orc.{CompressionKind, OrcFile, TypeDescription, Writer}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

/** Rows of files without ACID columns have the numbers of their places, whatever part of a file a task reads; and files
  * that are still written are read as far as they are told to be.
  */
class RawFilesSuite extends AcidOrcSuite {
  private val property = BucketProperty.encode(3, 1)
  private val StripeRows = 5000
  private val GroupRows = 1000
  private val FileRows = 40000

  // without checksum files, whose writer keeps back what is not a whole chunk, also when a file is flushed
  private lazy val local = {
    val raw = new RawLocalFileSystem
    raw.initialize(new java.net.URI("file:///"), new Configuration)
    raw
  }

  private def writer(path: Path, schema: String): Writer = {
    val conf = new Configuration
    conf.setLong("orc.stripe.row.count", StripeRows)
    OrcFile.createWriter(
      path,
      OrcFile
        .writerOptions(conf)
        .setSchema(TypeDescription.fromString(schema))
        .rowIndexStride(GroupRows)
        .compress(CompressionKind.ZLIB)
        .overwrite(true)
        .fileSystem(local)
    )
  }

  /** Rows (id, "s" and the id) with the IDs from `first`. */
  private def writeRaw(path: Path, first: Long, count: Int, schema: String = "struct<id:bigint,s:string>"): Unit = {
    val out = writer(path, schema)
    val batch = out.getSchema.createRowBatch(GroupRows)
    for (chunk <- (first until first + count).grouped(GroupRows)) {
      chunk.zipWithIndex.foreach { case (id, i) =>
        batch.cols(0).asInstanceOf[LongColumnVector].vector(i) = id
        batch.cols(1).asInstanceOf[BytesColumnVector].setVal(i, s"s$id".getBytes(UTF_8))
      }
      batch.size = chunk.length
      out.addRowBatch(batch)
      batch.reset()
    }
    out.close()
  }

  /** A table whose only file has the rows from 0; the row IDs begin at `firstRow`. */
  private class Raw(firstRow: Option[Long], rows: Int = FileRows)
      extends Table("id BIGINT, s STRING", "struct<id:bigint,s:string>") {
    val path = new Path(root, "000003_0")
    writeRaw(path, 0, rows)

    override def files(): Seq[FileStatusWithMetadata] = {
      val status = path.getFileSystem(conf).getFileStatus(path)
      val constants = if (deleteFolders.isEmpty) Nil else Seq(AcidOrcFileFormat.DeletesKey -> deletes)
      val raw = AcidOrcFileFormat.RawKey -> RawRows(7, property, firstRow).format
      Seq(FileStatusWithMetadata(status, (raw +: constants).toMap))
    }
  }

  private def withSplits[T](body: => T): T =
    withConf("spark.sql.files.maxPartitionBytes" -> "20000", "spark.sql.files.openCostInBytes" -> "0")(body)

  private def numbers(rows: DataFrame): Seq[(Long, Long, Int, Long)] =
    rows.select("id", "ROW__ID").collect().toSeq.map { case Row(id: Long, Row(w: Long, p: Int, r: Long)) =>
      (id, w, p, r)
    }

  private def expected(ids: Iterable[Long], firstRow: Long) = ids.toSeq.map(id => (id, 7L, property, firstRow + id))

  test("rows are numbered by their place in the file, in one task and in many") {
    val table = new Raw(Some(100))
    val all = expected((0L until FileRows.toLong), 100)
    assertEquals(numbers(table.read()).sorted, all)
    withSplits {
      val rows = table.read()
      assert(rows.rdd.getNumPartitions > 3, "the file was not split")
      assertEquals(numbers(rows).sorted, all)
    }
  }

  test("row groups and stripes that a filter skips leave gaps in the numbers") {
    val table = new Raw(Some(1L << 33))
    val wanted = Seq(0L, 999L, 1000L, 2500L, 4999L, 5000L, 17001L, 17002L, 39999L)
    val filters = wanted.map(id => s"id = $id") ++ Seq(
      "id in (1, 2500, 17001)",
      "id between 3990 and 6010",
      "id >= 38500",
      "id < 1500 or id between 20900 and 22100 or id > 39990"
    )
    for (filter <- filters) {
      def found = numbers(table.read().where(filter)).sorted
      val ids = spark.range(FileRows.toLong).where(filter).collect().toSeq.map(_.longValue).sorted
      assertEquals(found, expected(ids, 1L << 33), filter)
      withSplits(assertEquals(found, expected(ids, 1L << 33), filter))
    }
  }

  test("a filter does skip row groups of such files") {
    val table = new Raw(None)
    val plan = table.read().where("id = 17001").asInstanceOf[org.apache.spark.sql.classic.Dataset[Row]].queryExecution
    plan.executedPlan.executeCollect()
    val scan = plan.executedPlan.collectFirst { case s if s.metrics.contains("numFiles") => s }.get
    assertEquals(scan.metrics("numOutputRows").value, GroupRows.toLong)
  }

  test("deleted rows are left out, and the rest keeps its numbers") {
    val table = new Raw(Some(100))
    withSplits {
      table.delete("id % 7 = 0 or id between 12000 and 13500")
      table.delete("id = 39999")
      def kept(id: Long) = id % 7 != 0 && (id < 12000 || id > 13500) && id != 39999
      assertEquals(numbers(table.read()).sorted, expected((0L until FileRows.toLong).filter(kept), 100))
      assertEquals(table.read().where("id > 39990").count(), (39991L to 39999L).count(kept).toLong)
    }
  }

  test("files that nobody numbered are read, but their row IDs are not guessed") {
    val table = new Raw(None, 100)
    assertEquals(table.read().count(), 100L)
    assertEquals(table.read().selectExpr("sum(id)").head().getLong(0), 4950L)
    assertEquals(acidError(numbers(table.read())).mainCondition, "HIVE_ACID_CORRUPT_FILE")
  }

  test("columns are found by name in any case, by position where the file has no names, or are missing") {
    for (
      (schema, text) <- Seq("struct<ID:bigint,old:string>" -> None, "struct<_col0:bigint,_col1:string>" -> Some("s0"))
    ) {
      val other = new Raw(Some(0), 1)
      writeRaw(other.path, 0, 1, schema)
      assertEquals(other.read().collect().toSeq, Seq(Row(0L, text.orNull)))
    }
  }

  test("a file with ACID columns under the name of one without is refused") {
    val table = new Table("id BIGINT, s STRING", "struct<id:bigint,s:string>")
    table.insert(spark.range(3).selectExpr("id", "'x' as s"))
    val files = table.files().map(f => f.copy(metadata = Map(AcidOrcFileFormat.RawKey -> RawRows(0, 0, None).format)))
    val error = acidError(table.read(files = files).collect())
    assertEquals(error.condition, "HIVE_ACID_UNSUPPORTED_LAYOUT.ACID_COLUMNS")
  }

  test("a file that is still written is read as far as it was flushed, in splits too") {
    val table = new Table("id BIGINT", "struct<id:bigint>")
    val path = new Path(table.root, "bucket_00000")
    val schema =
      "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint,row:struct<id:bigint>>"
    val out = writer(path, schema)
    val batch = out.getSchema.createRowBatch(GroupRows)
    def add(first: Long, count: Int, writeId: Long): Unit =
      for (chunk <- (first until first + count).grouped(GroupRows)) {
        chunk.zipWithIndex.foreach { case (id, i) =>
          val values = Seq(0L, writeId, BucketProperty.encode(0, 0).toLong, id, writeId)
          values.zipWithIndex.foreach { case (v, c) => batch.cols(c).asInstanceOf[LongColumnVector].vector(i) = v }
          batch.cols(5).asInstanceOf[StructColumnVector].fields(0).asInstanceOf[LongColumnVector].vector(i) = id
        }
        batch.size = chunk.length
        out.addRowBatch(batch)
        batch.reset()
      }
    def read(length: Long, valid: String): Seq[Long] = {
      val status = path.getFileSystem(table.conf).getFileStatus(path)
      val flushed = new org.apache.hadoop.fs.FileStatus(length, false, 1, 1L << 27, status.getModificationTime, path)
      val files = Seq(FileStatusWithMetadata(flushed, Map(AcidOrcFileFormat.CheckKey -> valid)))
      def ids = table.read(files = files).collect().toSeq.map(_.getLong(0)).sorted
      val whole = ids
      withSplits(assertEquals(ids, whole))
      whole
    }
    val all = "db.t:9:9223372036854775807::"
    add(0, 12000, writeId = 1)
    val first = out.writeIntermediateFooter()
    add(12000, 3000, writeId = 2)
    val second = out.writeIntermediateFooter()
    assertEquals(read(first, all), 0L until 12000L)
    assertEquals(read(second, all), 0L until 15000L)
    add(15000, 8000, writeId = 3)
    assertEquals(read(first, all), 0L until 12000L)
    assertEquals(read(second, "db.t:9:1:1:2"), Nil)
    assertEquals(read(second, "db.t:9:9:9:1"), 12000L until 15000L)
    out.close()
    val length = path.getFileSystem(table.conf).getFileStatus(path).getLen
    assertEquals(read(length, "db.t:9:2:2:"), (0L until 12000L) ++ (15000L until 23000L))
    assertEquals(read(second, all), 0L until 15000L)
  }
}
