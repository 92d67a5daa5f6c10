package hiveacid.wire

import java.io.File
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}

/** The example of each message, which Python's tests read and write too. */
final class ExamplesSuite extends munit.FunSuite {
  private val json = new ObjectMapper
  private val files = new File(System.getProperty("hiveacid.wire")).listFiles.toSeq.sortBy(_.getName)

  private def read(name: String, text: String): Any = name match {
    case "AffectedRows"        => Wire.read[AffectedRows](text)
    case "AlterRequest"        => Wire.read[AlterRequest](text)
    case "CatalogRequest"      => Wire.read[CatalogRequest](text)
    case "CompactionSpec"      => Wire.read[CompactionSpec](text)
    case "DescribedDatabase"   => Wire.read[DescribedDatabase](text)
    case "DescribedTable"      => Wire.read[DescribedTable](text)
    case "DropDatabaseRequest" => Wire.read[DropDatabaseRequest](text)
    case "DropTableRequest"    => Wire.read[DropTableRequest](text)
    case "DryRunAnswer"        => Wire.read[DryRunAnswer](text)
    case "Hint"                => Wire.read[Hint](text)
    case "ExplainedStatement"  => Wire.read[ExplainedStatement](text)
    case "FileVersion"         => Wire.read[FileVersion](text)
    case "KeyDescription"      => Wire.read[KeyDescription](text)
    case "ListedTree"          => Wire.read[ListedTree](text)
    case "Misspelling"         => Wire.read[Misspelling](text)
    case "OperatorRequest"     => Wire.read[OperatorRequest](text)
    case "OperatorRows"        => Wire.read[OperatorRows](text)
    case "OperatorStatement"   => Wire.read[OperatorStatement](text)
    case "PendingUpload"       => Wire.read[PendingUpload](text)
    case "ReadRequest"         => Wire.read[ReadRequest](text)
    case "Respelling"          => Wire.read[Respelling](text)
    case "RewriteRequest"      => Wire.read[RewriteRequest](text)
    case "RewrittenStatement"  => Wire.read[RewrittenStatement](text)
    case "ScanRequest"         => Wire.read[ScanRequest](text)
    case "SearchResult"        => Wire.read[SearchResult](text)
    case "SearchSpec"          => Wire.read[SearchSpec](text)
    case "TableCall"           => Wire.read[TableCall](text)
    case "TableDetail"         => Wire.read[TableDetail](text)
    case "TableQuestion"       => Wire.read[TableQuestion](text)
    case "TableScan"           => Wire.read[TableScan](text)
    case "TakeBackRequest"     => Wire.read[TakeBackRequest](text)
    case "WriteReport"         => Wire.read[WriteReport](text)
    case "WriteRequest"        => Wire.read[WriteRequest](text)
    case "WriteSpec"           => Wire.read[WriteSpec](text)
  }

  /** The objects of a JSON value whose keys are fields: those of a mapping are free. */
  private def records(node: JsonNode): Seq[ObjectNode] = node match {
    case o: ObjectNode =>
      val below = o.properties.asScala.toSeq.filterNot(e => ExamplesSuite.Mappings(e.getKey)).map(_.getValue)
      o +: below.flatMap(records)
    case a: ArrayNode => a.elements.asScala.toSeq.flatMap(records)
    case _            => Nil
  }

  /** The arrays that stand for records: those with values of several kinds. */
  private def tuples(node: JsonNode): Seq[ArrayNode] = {
    val here = node match {
      case a: ArrayNode if a.elements.asScala.map(_.getNodeType).toSet.size > 1 => Seq(a)
      case _                                                                    => Nil
    }
    here ++ node.elements.asScala.toSeq.flatMap(tuples)
  }

  for (file <- files) {
    val name = file.getName.stripSuffix(".json")
    val text = Files.readString(file.toPath)

    test(s"the example of $name is read and written as it stands") {
      assertEquals(json.readTree(Wire.write(read(name, text))), json.readTree(text))
    }

    test(s"a key of $name that is missing or unknown is an error") {
      val whole = json.readTree(text)
      for (record <- records(whole)) {
        for (key <- record.fieldNames.asScala.toList) {
          val value = record.remove(key)
          val error = intercept[JacksonException](read(name, whole.toString))
          assert(error.getMessage.contains(key), error.getMessage)
          record.set[JsonNode](key, value)
        }
        record.put("surplus", 1)
        assert(intercept[JacksonException](read(name, whole.toString)).getMessage.contains("surplus"))
        record.remove("surplus")
      }
      if (name != "OperatorRows") for (values <- tuples(whole)) {
        // Jackson passes over surplus values of an array; they are missed where the message is written again
        values.add(1)
        assertNotEquals(json.readTree(Wire.write(read(name, whole.toString))), whole)
        values.remove(values.size - 1)
        val last = values.remove(values.size - 1)
        intercept[JacksonException](read(name, whole.toString))
        values.add(last)
      }
      read(name, whole.toString)
    }
  }

  test("a value of another type is an error") {
    val right = """{"name":"a","wanted":"b"}"""
    assertEquals(Wire.read[Misspelling](right), Misspelling("a", "b"))
    for (wrong <- Seq("""{"name":"a","wanted":null}""", """{"name":"a","wanted":["b"]}""", "[]", "no JSON"))
      intercept[JacksonException](Wire.read[Misspelling](wrong))
    val counts = """{"affected":1,"updated":2,"deleted":3,"inserted":4}"""
    assertEquals(Wire.read[AffectedRows](counts), AffectedRows(1, 2, 3, 4))
    for (wrong <- Seq("null", "\"1\"", "1.5", "true"))
      intercept[JacksonException](Wire.read[AffectedRows](counts.replace(":1", s":$wrong")))
    intercept[JacksonException](Wire.read[RewrittenStatement]("""{"query":"q","writes":"nothing","stays":true}"""))
  }

  test("an optional number is as long as it was") {
    assertEquals(Wire.read[ScanFile]("""["a",1,2,0,3000000000]""").firstRow.map(_ + 1L), Some(3000000001L))
  }

  test("null is None") {
    assertEquals(Wire.read[Option[Misspelling]]("null"), None)
    assertEquals(Wire.write(None), "null")
    assertEquals(Wire.read[Option[Seq[String]]]("[\"a\"]"), Some(Seq("a")))
  }

  test("every kind of statement has its row in its table") {
    DdlKind.all.foreach(kind => assert(kind.title.nonEmpty))
    StatementKind.all.foreach(kind => assert(kind.traits.title.nonEmpty))
    assertEquals(StatementKind.Merge.traits.counts, Seq("affected", "updated", "deleted", "inserted"))
  }
}

object ExamplesSuite {
  private val Mappings =
    Set("settings", "properties", "bucketing", "options", "partition", "elsewhere", "serdeProperties")
}
