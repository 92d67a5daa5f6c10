package hiveacid.formats.orc

import java.nio.charset.StandardCharsets.ISO_8859_1

import hiveacid.AcidOrcSuite
import hiveacid.formats.Evolution
import hiveacid.write.SpecChanges.compression
import org.apache.orc.{OrcFile, OrcProto}
import org.apache.orc.OrcFile.WriterVersion

/** Files that are opened although no row in them can match, because what they say of their values may be wrong. */
class FilePruningSuite extends AcidOrcSuite {
  private val rows = "select id, cast(id as decimal(10,2)) as dec, cast(id as double) as d from range(1, 4)"

  /** A table whose only file has three rows, and says of itself what `mark` makes of its footer. */
  private def written(mark: (OrcProto.Footer.Builder, OrcProto.PostScript.Builder) => Any): Table = {
    val t = new Table("id bigint, dec decimal(10,2), d double", "struct<id:bigint,dec:decimal(10,2),d:double>")
    t.insert(spark.sql(rows).repartition(1), compression("NONE"))
    t.markFooter(t.path(t.dataFolders.head, "bucket_00000"))(mark)
    t
  }

  private def isOpened(t: Table, predicate: String): Boolean = {
    val read = t.read().where(predicate)
    read.collect()
    read.queryExecution.executedPlan.collectLeaves().flatMap(_.metrics.get("numFiles")).map(_.value).max == 1
  }

  private def writtenBy(version: WriterVersion) =
    written((_, script) => script.setWriterVersion(version.getId))

  test("a file is left out by what its statistics say of its least and greatest values") {
    val t = writtenBy(OrcFile.CURRENT_WRITER)
    assert(Seq("id = 2", "dec = 2", "d = 2", "id > 2 and dec < 4", "id = 9 or d = 1").forall(isOpened(t, _)))
    assert(!Seq("id = 9", "dec = 9", "d = 9", "id is null", "id > 2 and dec > 4").exists(isOpened(t, _)))
  }

  test("text is compared by the bounds that were kept of it") {
    val t = new Table("s string", "struct<s:string>")
    t.insert(spark.sql("select repeat('m', 3000) || id as s from range(3)").repartition(1))
    assert(isOpened(t, "s = repeat('m', 3000) || '1'"))
    assert(!isOpened(t, "s = 'a'"))
    assert(!isOpened(t, "s = 'z'"))
  }

  test("text of which a bound was left out is found, as Presto writes it for more than 64 bytes") {
    val least = "a" * 65
    for (bound <- Seq(Seq(least), Seq("b"), Seq(least, "b"))) {
      val t = new Table("s string, id int", "struct<s:string,id:int>")
      val rows = s"select if(id = 0, '$least', 'b') as s, cast(id as int) from range(2)"
      t.insert(spark.sql(rows).repartition(1), compression("NONE"))
      t.patch(t.path(t.dataFolders.head, "bucket_00000"))(bytes => bound.foldLeft(bytes)(withoutBound))
      for (predicate <- Seq("s = 'b'", "s is not null", "s in ('b', 'c')", "s > 'aaab'", "s <=> 'b' and id = 1"))
        assertEquals(t.read().where(predicate).where("id = 1").count(), 1L)
      assertEquals(t.read().where(s"s = '$least'").count(), 1L)
      assertEquals(t.read().where("s is null").count(), 0L)
    }
  }

  /** The least and the greatest value get numbers that nobody knows, as fields of their messages. */
  private def withoutBound(bytes: Array[Byte], text: String): Array[Byte] = {
    val (minimum, maximum, unknown) = ('\u000a', '\u0012', '\u007a')
    val written = new String(bytes, ISO_8859_1)
    val value = s"${text.length.toChar}$text"
    val left = Seq(minimum, maximum).foldLeft(written)((file, tag) => file.replace(s"$tag$value", s"$unknown$value"))
    assert(left != written)
    left.getBytes(ISO_8859_1)
  }

  test("decimals of ORC 1.5.0 to 1.5.5 have no statistics (ORC-517)") {
    val t = writtenBy(WriterVersion.ORC_135)
    assert(isOpened(t, "dec = 9"))
    assert(!isOpened(t, "id = 9"))
  }

  test("the statistics of files before Hive 0.14 are not used (HIVE-8732)") {
    assert(isOpened(writtenBy(WriterVersion.ORIGINAL), "id = 9"))
  }

  test("a file without a row index is opened, for its statistics are not kept up") {
    assert(isOpened(written((footer, _) => footer.setRowIndexStride(0)), "id = 9"))
  }

  test("a column without statistics is not judged") {
    val id = 7 // the six columns come first
    val t = written((footer, _) => footer.setStatistics(id, OrcProto.ColumnStatistics.getDefaultInstance))
    assert(isOpened(t, "id = 9"))
    assert(!isOpened(t, "d = 9"))
  }

  test("a file that contradicts its place is opened, so that the scan tells") {
    val t = written((footer, _) => {
      val operation = footer.getStatistics(1).toBuilder
      operation.getIntStatisticsBuilder.setMinimum(2).setMaximum(2)
      footer.setStatistics(1, operation)
    })
    assertEquals(acidError(isOpened(t, "id = 9")).condition, "HIVE_ACID_UNSUPPORTED_LAYOUT.NOT_INSERTS")
  }

  test("a renamed column is found where its values are, or not judged") {
    val t = writtenBy(OrcFile.CURRENT_WRITER)
    val renamed =
      new org.apache.spark.sql.types.StructType().add("d2", "bigint").add("dec", "decimal(10,2)").add("d", "double")
    for (byPosition <- Seq(true, false)) {
      t.evolution = Evolution(byPosition = byPosition)
      assertEquals(t.read(schema = renamed).where("d2 = 2").count(), if (byPosition) 1L else 0L)
      assertEquals(t.read(schema = renamed).where("d2 is null").count(), if (byPosition) 0L else 3L)
    }
  }
}
