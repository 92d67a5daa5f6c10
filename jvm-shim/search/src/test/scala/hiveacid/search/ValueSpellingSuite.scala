package hiveacid.search

import org.apache.spark.sql.types._

/** A text names the person whose key it spells exactly, and nobody whose key is near. */
final class ValueSpellingSuite extends munit.FunSuite {
  private val spelling = ValueSpelling("Europe/Berlin", isAnsi = true)

  private def check(t: DataType, spelled: (String, String)*)(refused: String*): Unit = {
    for ((text, shown) <- spelled) assertEquals(spelling.spell(text, t), Some(shown), clue(text))
    for (text <- refused) assertEquals(spelling.spell(text, t), None, clue(text))
  }

  test("a whole number has many spellings, and one with a fraction is another") {
    check(IntegerType, "7" -> "7", "007" -> "7", " +7 " -> "7", "-1" -> "-1")("7.9", "Ada", "", "9999999999")
    check(LongType, "9007199254740993" -> "9007199254740993")("9223372036854775808")
    check(ByteType, "7" -> "7")("300")
  }

  test("a decimal is not rounded to the person beside") {
    check(DecimalType(10, 0), "100" -> "100", "100.0" -> "100", "1e2" -> "100")("100.4", "99.6", "x", "99999999999")
    check(DecimalType(10, 2), "1.5" -> "1.50", "7" -> "7.00")("1.005", "1.999")
    check(DecimalType(10, 8), "0.0000001" -> "0.00000010", "0" -> "0.00000000")("0.000000001")
    val legacy = ValueSpelling("UTC", isAnsi = false)
    assertEquals(legacy.spell("0.0000001", DecimalType(10, 8)), Some("1.0E-7"))
  }

  test("a number is not taken for the nearest one") {
    check(DoubleType, "0.1" -> "0.1", "1e20" -> "1.0E20", "7" -> "7.0", "9007199254740992" -> "9.007199254740992E15")(
      "9007199254740993",
      "0.1000000000000000000001",
      "1e400",
      "1e-400",
      "x"
    )
    check(DoubleType, "-0" -> "0.0", "0" -> "0.0")()
    check(DoubleType, "NaN" -> "NaN", "Infinity" -> "Infinity")()
    check(FloatType, "0.1" -> "0.1", "16777216" -> "1.6777216E7")("16777217", "0.12345678901", "1e39")
  }

  test("a year, a month and a time are no days") {
    check(DateType, "1984-01-01" -> "1984-01-01", " 1984-1-1 " -> "1984-01-01")(
      "1984",
      "1984-01",
      "1984-01-01 12:00:00",
      "1984-01-01T",
      "1984-02-30",
      "today"
    )
  }

  test("a moment is exact, and none that clocks leave out, show twice, or show for one that they leave out") {
    check(
      TimestampType,
      "2024-02-29 01:02:03.5" -> "2024-02-29 01:02:03.5",
      "2024-02-29" -> "2024-02-29 00:00:00",
      "2024-02-29T01:02:03.1234560" -> "2024-02-29 01:02:03.123456",
      "2024-02-29T01:02:03Z" -> "2024-02-29 02:02:03",
      "2024-02-29 01:02:03+01:00" -> "2024-02-29 01:02:03",
      "2024-02-29 01:02:03 Europe/Berlin" -> "2024-02-29 01:02:03",
      "2024-10-27 01:30:00" -> "2024-10-27 01:30:00",
      "2024-03-31 01:59:59.999999" -> "2024-03-31 01:59:59.999999",
      "2024-03-31 04:00:00" -> "2024-03-31 04:00:00",
      "2024-10-27 03:00:00" -> "2024-10-27 03:00:00"
    )(
      "2024",
      "2024-02",
      "12:30:00",
      "2024-02-29 01:02:03.1234567",
      "2024-02-29 01:02:03.1234567Z",
      "2024-03-31 02:30:00",
      "2024-03-31 03:00:00",
      "2024-03-31 03:59:59.999999",
      "2024-03-31T01:30:00Z",
      "2024-10-27 02:30:00",
      "2024-10-27 02:30:00+01:00"
    )
    check(TimestampNTZType, "2024-03-31 02:30:00" -> "2024-03-31 02:30:00")("2024", "2024-02-29 01:02:03Z", "12:30:00")
  }

  test("texts are themselves, padded to a CHAR") {
    check(StringType, "a " -> "a ", "" -> "")()
    check(CharType(4), "ab" -> "ab  ", "äöüß" -> "äöüß")("abcde")
    check(VarcharType(4), "ab" -> "ab")("abcde")
    check(BooleanType, "true" -> "true", "TRUE" -> "true")("maybe")
    check(BinaryType, "ab" -> "ab")("\ud800")
  }

  test("a type without one text for each value spells nobody") {
    check(StructType(Seq(StructField("a", StringType))))("{a}", "a")
    check(ArrayType(StringType))("[a]", "a")
    check(NullType)("a")
  }
}
