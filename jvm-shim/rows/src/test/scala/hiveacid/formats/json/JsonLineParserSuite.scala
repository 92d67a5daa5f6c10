package hiveacid.formats.json

import java.time.ZoneOffset

import scala.util.Try

import hiveacid.values.WallClock
import munit.FunSuite

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

/** Each release's reading of a value. The expected values are those of the releases' own JsonSerDe, called with the
  * same lines (3.1.3, 4.0.1 and 4.1.0; 4.2.0 gave the same as 4.1.0).
  */
class JsonLineParserSuite extends FunSuite {
  private val releases = Seq[HiveRelease](HiveRelease.Of31, HiveRelease.Of40, HiveRelease.Of41)

  /** Stands for an error. */
  private val Fails = "fails"

  private def rowOf(hive: HiveRelease, ddl: String, line: String, properties: SerdeProperties, columns: String*) = {
    val schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType.fromDDL(ddl))
    val required = if (columns.isEmpty) schema else StructType(columns.map(schema(_)))
    val parser = JsonLineParser.of(hive, properties, schema, required, new Values(new WallClock(ZoneOffset.UTC)))
    val bytes = line.getBytes("UTF-8")
    // what lies behind the line in the buffer is of others
    Try(parser.parse(bytes ++ "}]\"".getBytes, bytes.length)).toOption.fold[Any](Fails) { row =>
      CatalystTypeConverters.createToScalaConverter(required)(row).asInstanceOf[Row].toSeq
    }
  }

  private def check(ddl: String, json: String, of31: Any, of40: Any, of41: Any)(implicit loc: munit.Location): Unit =
    releases.zip(Seq(of31, of40, of41)).foreach { case (hive, expected) =>
      val found = rowOf(hive, s"a $ddl", s"""{"a":$json}""", SerdeProperties()) match {
        case Seq(bytes: Array[Byte]) => new String(bytes, "UTF-8")
        case Seq(value)              => value
        case other                   => other
      }
      assertEquals(found, expected, s"$ddl of $json in $hive")
    }

  test("whole numbers") {
    check("INT", "2147483648", Fails, Int.MinValue, Int.MinValue)
    check("INT", "1.9", 1, 1, 1)
    check("INT", "1e10", Fails, Int.MaxValue, 1410065408)
    check("INT", "\" +12 \"", Fails, 12, 12)
    check("INT", "\"1.9e1\"", Fails, 19, 19)
    check("INT", "\"99999999999\"", Fails, 0, 0)
    check("INT", "\"x\"", Fails, 0, 0)
    check("INT", "true", Fails, 1, 1)
    check("TINYINT", "300", Fails, 44.toByte, 44.toByte)
    check("SMALLINT", "-40000", Fails, 25536.toShort, 25536.toShort)
    check("BIGINT", "123456789012345678.125", 123456789012345680L, 123456789012345680L, 123456789012345678L)
    check("BIGINT", "9223372036854775808", Fails, Long.MinValue, Long.MinValue)
    check("INT", "{}", Fails, Fails, Fails)
    check("INT", "null", null, null, null)
  }

  test("truth values") {
    check("BOOLEAN", "true", true, true, true)
    check("BOOLEAN", "\"TRUE\"", true, false, true)
    check("BOOLEAN", "\"no\"", false, false, true)
    check("BOOLEAN", "\" false \"", false, false, false)
    check("BOOLEAN", "2", false, true, true)
    check("BOOLEAN", "0.0", false, false, true)
  }

  test("numbers with a fraction") {
    check("DOUBLE", "0.1", 0.1, 0.1, 0.1)
    check("DOUBLE", "\" 1e400 \"", Fails, Double.PositiveInfinity, Double.PositiveInfinity)
    check("FLOAT", "\"-Infinity\"", Fails, Float.NegativeInfinity, Float.NegativeInfinity)
    check("DOUBLE", "NaN", Fails, Fails, Fails)
    val exact = new java.math.BigDecimal("123456789012345678.125000")
    val rounded = new java.math.BigDecimal("123456789012345680.000000")
    check("DECIMAL(30,6)", "123456789012345678.125", exact, rounded, exact)
    check(
      "DECIMAL(4,2)",
      "9.995",
      new java.math.BigDecimal("10.00"),
      new java.math.BigDecimal("10.00"),
      new java.math.BigDecimal("10.00")
    )
    check("DECIMAL(4,2)", "99.995", null, null, null)
    check("DECIMAL(4,2)", "\"x\"", null, null, null)
    check("DECIMAL(4,2)", "\"\\t1\"", null, new java.math.BigDecimal("1.00"), new java.math.BigDecimal("1.00"))
  }

  test("text") {
    check("STRING", "1.50", "1.50", "1.5", "1.5")
    check("STRING", "100.0", "100.0", "100.0", "1E+2")
    check("STRING", "[1, {\"k\": 2.50}]", Fails, "[1,{\"k\":2.5}]", "[1,{\"k\":2.5}]")
    check("STRING", "\"\\ud83d\\ude00\\u00fc\"", "😀ü", "😀ü", "😀ü")
    check("VARCHAR(2)", "\"😀bc\"", "😀b", "😀b", "😀b")
    check("CHAR(4)", "\"😀b\"", "😀b  ", "😀b  ", "😀b  ")
    check("CHAR(4)", "[]", Fails, Fails, Fails)
  }

  test("bytes") {
    check("BINARY", "\"eHk=\"", "eHk=", "xy", "xy")
    check("BINARY", "\"xyz\"", "xyz", Fails, "xyz")
    check("BINARY", "12", "12", null, "12")
    val raw = SerdeProperties(isRawBinary = true)
    val found = releases.map(rowOf(_, "a BINARY", """{"a":"eHk="}""", raw)).map { case Seq(bytes: Array[Byte]) =>
      new String(bytes, "UTF-8")
    }
    assertEquals(found, Seq("eHk=", "eHk=", "xy"))
  }

  test("dates and timestamps") {
    def day(text: String) = java.sql.Date.valueOf(text)
    check("DATE", "\" 2024-2-9 \"", day("2024-02-09"), day("2024-02-09"), day("2024-02-09"))
    check("DATE", "\"2023-02-29\"", day("2023-03-01"), Fails, Fails)
    check("DATE", "\"2024-01-02T03\"", Fails, day("2024-01-02"), day("2024-01-02"))
    check("DATE", "\"2024-01-023\"", Fails, Fails, Fails)
    check("DATE", "12", Fails, Fails, Fails)
    def clock(text: String) = java.time.LocalDateTime.parse(text)
    val ntz = "TIMESTAMP_NTZ"
    val morning = clock("2024-01-02T03:04:05.123456")
    check(ntz, "\"2024-01-02 3:4:5.123456789\"", morning, morning, morning)
    check(ntz, "\"2024-01-02T03:04:05.123456\"", morning, morning, morning)
    check(ntz, "\"2024-01-02 27:00:00\"", clock("2024-01-03T03:00:00"), null, null)
    check(ntz, "\"2024-01-02\"", Fails, null, null)
    check(ntz, "\"294248-01-10 04:00:54\"", Fails, Fails, Fails)
  }

  test("arrays, maps and structs") {
    check("ARRAY<INT>", "[1,null,2]", Seq(1, null, 2), Seq(1, null, 2), Seq(1, null, 2))
    check("ARRAY<INT>", "{}", Fails, Fails, Fails)
    check(
      "MAP<INT,STRING>",
      """{"1":"a","01":"b","2":null}""",
      Map(1 -> "b", 2 -> null),
      Map(1 -> "b", 2 -> null),
      Map(1 -> "b", 2 -> null)
    )
    check("MAP<INT,STRING>", """{"x":"a"}""", Fails, Map(0 -> "a"), Map(0 -> "a"))
    check("MAP<DECIMAL(4,2),STRING>", """{"x":"a"}""", Fails, Fails, Fails)
    def of(hive: HiveRelease, line: String) = rowOf(hive, "a STRUCT<Xx:INT,y:INT>", line, SerdeProperties())
    val found = releases.map(of(_, """{"A":{"XX":1,"Y":2}}"""))
    assertEquals(found, Seq[Any](Seq(Row(null, 2)), Seq(Row(1, 2)), Seq(Row(1, 2))))
  }

  test("keys") {
    val ddl = "a INT, b STRING"
    def all(line: String, properties: SerdeProperties = SerdeProperties()) =
      releases.map(rowOf(_, ddl, line, properties))
    assertEquals(all("""{"A":1,"a":2,"A":3}"""), Seq[Any](Seq(3, null), Seq(2, null), Seq(2, null)))
    assertEquals(all("""{"_col0":1}"""), Seq[Any](Fails, Seq(1, null), Seq(1, null)))
    assertEquals(all("""{"_col2":1}"""), Seq.fill[Any](3)(Fails))
    assertEquals(all("""{"1":"x"}"""), Seq[Any](Seq(null, null), Seq(null, "x"), Seq(null, "x")))
    assertEquals(all("""{"c":{"a":[1]},"a":2} {"""), Seq.fill[Any](3)(Seq(2, null)))
    val strict = SerdeProperties(ignoresUnknownKeys = false, stringifies = false)
    assertEquals(all("""{"c":1}""", strict), Seq[Any](Seq(null, null), Fails, Fails))
    assertEquals(all("""{"b":[1]}""", strict), Seq.fill[Any](3)(Fails))
  }

  test("lines that are no object") {
    def all(line: String) = releases.map(rowOf(_, "a INT", line, SerdeProperties()))
    assertEquals(all("null"), Seq[Any](Fails, Seq(null), Seq(null)))
    Seq("  ", "[]", "1", "{\"a\":1", "{\"a\":", "{\"a\":1,}", "{a:1}", "{\"a\":01}").foreach { line =>
      assertEquals(all(line), Seq.fill[Any](3)(Fails), line)
    }
    assertEquals(all("\ufeff{\"a\":1}"), Seq.fill[Any](3)(Seq(1)))
  }

  test("only what is asked for becomes a value, but Hive 3 takes what follows a bracket for other columns") {
    def all(line: String) = releases.map(rowOf(_, "a INT, b STRING, c DATE", line, SerdeProperties(), "c", "a"))
    val day = java.sql.Date.valueOf("2024-01-02")
    assertEquals(all("""{"a":1,"b":"x","c":"2024-01-02"}"""), Seq.fill[Any](3)(Seq(day, 1)))
    assertEquals(all("""{"a":1,"b":{"a":5}}"""), Seq[Any](Fails, Seq(null, 1), Seq(null, 1)))
  }
}
