package hiveacid.write.buckets

import java.sql.{Date, Timestamp}
import java.time.{LocalDate, LocalDateTime}

import scala.util.Random

import munit.FunSuite
import org.apache.commons.codec.digest.MurmurHash3
import org.apache.orc.TypeDescription

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.types._

/** Hive's hashes. The numbers are those of Trino's `TestHiveBucketing`, which are asserted there against Hive's own
  * class.
  */
class HiveHashSuite extends FunSuite {
  private val inUtc = HashZones("UTC", None)

  private def hash(value: Any, from: String, to: String, version: Int, zones: HashZones = inUtc): Int = {
    val literal = Literal.create(value, DataType.fromDDL(from))
    HiveHash(literal.dataType, TypeDescription.fromString(to), version, zones).of(literal.value)
  }

  private val longText = "\u5F3A\u5927\u7684Trino\u5F15\u64CE"

  test("values have the hashes that Hive gives them, by both versions") {
    Seq(
      ("Trino rocks", "string", 1132136730, -399107423),
      ("", "string", 0, -965378730),
      ("test string", "string", -318923937, -138301454),
      (longText, "string", 1688501507, 1784416344),
      (300.toShort, "smallint", 300, 2107031704),
      (Short.MinValue, "smallint", -32768, 1342976838),
      (0, "int", 0, 1362653161),
      (5, "int", 5, 2056229551),
      (Int.MinValue, "int", Int.MinValue, 1194881028),
      (Int.MaxValue, "int", Int.MaxValue, 1133859967),
      (300000000000L, "bigint", -647710651, -888935297),
      (12.34f, "float", 1095069860, -381747602),
      (12.34, "double", 986311098, -2070733568),
      (LocalDate.of(2015, 11, 19), "date", 16758, 8542395),
      (LocalDate.of(1950, 11, 19), "date", -6983, -431619185),
      (Seq[Short](5, 8, 13), "array<smallint>", 5066, -905011156),
      (Map("key" -> 123L, "key2" -> 123456789L, "key3" -> -123456L), "map<string,bigint>", 127880789, -1910999650)
    ).foreach { case (value, type_, first, second) =>
      assertEquals(hash(value, type_, type_, 1), first, s"$type_ $value")
      assertEquals(hash(value, type_, type_, 2), second, s"$type_ $value")
    }
  }

  test("text is hashed as the file holds it: VARCHAR cut to its length, CHAR without blanks at its end") {
    Seq(1 -> -189841218, 2 -> -138301454).foreach { case (version, expected) =>
      assertEquals(hash("test string", "string", "varchar(11)", version), expected)
      assertEquals(hash("test string and more", "string", "varchar(11)", version), expected)
      assertEquals(hash("test string  ", "string", "char(20)", version), expected)
      assertEquals(hash("test string and more", "string", "char(12)", version), expected)
    }
  }

  test("decimals are hashed without zeros at the end of their fraction, timestamps by the session's wall clock") {
    Seq(1, 2).foreach { version =>
      assertEquals(
        hash(BigDecimal("1.50"), "decimal(5,2)", "decimal(5,2)", version),
        hash(BigDecimal("1.5"), "decimal(3,1)", "decimal(3,1)", version)
      )
      assertEquals(
        hash(BigDecimal("0.00"), "decimal(5,2)", "decimal(5,2)", version),
        if (version == 1) 0 else murmur(0)
      )
    }
    val wall = LocalDateTime.of(2024, 7, 1, 12, 34, 56, 100000000)
    val instant = wall.atZone(java.time.ZoneId.of("Asia/Kolkata")).toInstant
    assertEquals(
      hash(instant, "timestamp", "timestamp", 2, HashZones("Asia/Kolkata", None)),
      hash(wall, "timestamp_ntz", "timestamp", 2)
    )
  }

  test("timestamps have the hashes of version 1 that Hive gives them in the zone of its JVM") {
    // as Hive 3.1.3 and 4.1.0 answered `SELECT hash(t)` in JVMs of two zones
    Seq(
      ("1970-01-01T00:00:00", 7200, -900),
      ("2024-07-01T12:34:56.000001", 429966032, 429957756),
      ("1969-12-31T23:59:58.5", -1647478497, 1647483259),
      ("1950-01-01T00:00:00.25", -125909440, -125900900),
      ("1500-01-01T00:00:00", 587226496, 587218396),
      ("0001-01-01T00:00:00", 1645933984, 1645925884),
      ("9999-12-31T23:59:59.999999", 1147660903, 1147652803),
      ("1582-10-04T00:00:00", 1240129696, 1240121596),
      ("1582-10-10T00:00:00", 1240259296, 1240251196), // no day of the hybrid calendar
      ("1582-10-15T00:00:00", 1240151296, 1240143196),
      ("1883-11-18T12:00:00", -679410000, -679418100),
      ("2024-03-10T02:30:00", 427516650, 427508550), // a gap there, none here
      ("2024-11-03T01:30:00", 432656550, 432648450), // twice there, once here
      ("2024-03-31T02:30:00", 427969350, 427962150),
      ("2024-10-27T02:30:00", 432505350, 432498150)
    ).foreach { case (text, there, here) =>
      val wall = LocalDateTime.parse(text)
      val instant = wall.atZone(java.time.ZoneId.of("Asia/Kolkata")).toInstant
      Seq("America/Los_Angeles" -> there, "Europe/Berlin" -> here).foreach { case (server, expected) =>
        val zones = HashZones("Asia/Kolkata", Some(server))
        assertEquals(hash(wall, "timestamp_ntz", "timestamp", 1, zones), expected, s"$wall in $server")
        assertEquals(hash(instant, "timestamp", "timestamp", 1, zones), expected, s"$wall in $server")
        assertEquals(hash(Map(1 -> instant), "map<int,timestamp>", "map<int,timestamp>", 1, zones), 1 ^ expected)
      }
    }
  }

  private def murmur(bytes: Byte*): Int = HiveHash.murmur(bytes.toArray)

  test("Murmur3 is that of Hive for bytes of every sign and number") {
    val random = new Random(7)
    for (length <- 0 until 2000) {
      val data = new Array[Byte](length % 40)
      random.nextBytes(data)
      // kept there for compatibility with Hive, from which it comes: signed bytes at the end
      assertEquals(HiveHash.murmur(data), MurmurHash3.hash32(data, 0, data.length, 104729))
    }
  }

  test("types whose hash is no function of the value are refused") {
    Seq(("timestamp", 1), ("binary", 2), ("map<int,timestamp>", 2)).foreach { case (type_, version) =>
      intercept[IllegalArgumentException] {
        HiveHash(DataType.fromDDL(type_), TypeDescription.fromString(type_), version, inUtc)
      }
    }
  }

  test("generated code finds the bucket that the interpreter finds, of several columns and of NULL") {
    val columns = Seq[(String, Seq[Any])](
      "boolean" -> Seq(true, false, null),
      "tinyint" -> Seq(Byte.MinValue, 1.toByte),
      "smallint" -> Seq(Short.MaxValue, null),
      "int" -> Seq(7, Int.MinValue),
      "bigint" -> Seq(null, Long.MinValue),
      "float" -> Seq(0.0f, -0.0f, Float.NaN),
      "double" -> Seq(Double.PositiveInfinity, -0.0),
      "decimal(38,10)" -> Seq(BigDecimal("12345678901234567890.5"), BigDecimal("-1")),
      "string" -> Seq(longText, "", null),
      "date" -> Seq(Date.valueOf("1969-12-31"), null),
      "timestamp" -> Seq(Timestamp.valueOf("1950-01-01 00:00:00.25"), Timestamp.valueOf("2024-01-01 00:00:00")),
      "array<int>" -> Seq(Seq(1, 2), null),
      "struct<a:int,b:string>" -> Seq(null, org.apache.spark.sql.Row(1, "x"))
    )
    val types = columns.map { case (type_, _) => DataType.fromDDL(type_) }
    val references = types.zipWithIndex.map { case (type_, i) => BoundReference(i, type_, nullable = true) }
    val bucket = HiveBucket(references, columns.map(_._1), 2, 4096, HashZones("Asia/Kolkata", None))
    val generated = GenerateUnsafeProjection.generate(Seq(bucket))
    val found = for (n <- 0 until 6) yield {
      val values = columns.zip(types).map { case ((_, values), type_) =>
        Literal.create(values(n % values.length), type_).value
      }
      val row = InternalRow.fromSeq(values)
      val number = bucket.eval(row).asInstanceOf[Int]
      assertEquals(generated(row).getInt(0), number)
      assert(number >= 0 && number < 4096)
      number
    }
    assertEquals(found.distinct.length, 6)
    assertEquals(HiveBucket(Seq(Literal(1), Literal(2)), Seq("int", "int"), 1, 1000, inUtc).eval(null), 33)
  }
}
