package hiveacid.search

import hiveacid.wire.{SearchedFile, SearchResult}

final class FilePartsSuite extends munit.FunSuite {
  private def placed(bytes: Long) = PlacedFile(SearchedFile("/t/f", bytes, 0, ""), Left("no partition"))
  private def found(rows: Long, fileRows: Option[Long], problem: Option[String] = None) =
    PartResult(0, SearchResult("/t/f", rows, 1, rows == 2, rows == 3, Seq("a", s"$rows"), problem), fileRows)

  test("the parts hold each byte once, also of a file that is small or empty") {
    for (bytes <- Seq(0L, 1L, 9L, 10L, 11L, 20L, 25L)) {
      val parts = FileParts.of(0, placed(bytes), 10)
      assertEquals(parts.map(_.start), parts.map(_.lengthBytes).scanLeft(0L)(_ + _).init)
      assertEquals(parts.map(_.lengthBytes).sum, bytes)
      assertEquals(parts.count(_.isFirst), 1)
      assertEquals(parts.length, math.max(1, math.ceil(bytes / 10.0).toInt))
    }
  }

  test("the result for a file is that of all its parts") {
    val joined = FileParts.join(Seq(found(2, Some(5)), found(3, Some(5))))
    assertEquals(
      joined,
      SearchResult("/t/f", 5, 2, inStatistics = true, inDictionary = false, Seq("a", "2", "3"), None)
    )
  }

  test("a value of a dictionary counts if no row of any part has one") {
    def part(matches: Long, inDictionary: Boolean) =
      PartResult(0, SearchResult("/t/f", 1, matches, false, inDictionary, Nil, None), Some(2))
    assert(FileParts.join(Seq(part(0, inDictionary = true), part(0, inDictionary = false))).inDictionary)
    assert(!FileParts.join(Seq(part(0, inDictionary = true), part(1, inDictionary = false))).inDictionary)
  }

  test("rows that no part has read are a problem") {
    val joined = FileParts.join(Seq(found(2, Some(6)), found(3, Some(6))))
    assertEquals(joined.problem, Some("5 rows were read, and its footer tells of 6"))
  }

  test("the problem of a part is that of the file") {
    val joined = FileParts.join(Seq(found(2, Some(5)), found(0, None, Some("it is cut"))))
    assertEquals(joined.problem, Some("it is cut"))
  }

  test("a file without a footer has no rows to miss") {
    assertEquals(FileParts.join(Seq(found(0, None))).problem, None)
  }
}
