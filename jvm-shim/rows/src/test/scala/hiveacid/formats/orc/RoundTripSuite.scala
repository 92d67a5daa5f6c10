package hiveacid.formats.orc

import java.util.TimeZone

import hiveacid.AcidOrcSuite
import org.apache.orc.OrcFile

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

class RoundTripSuite extends AcidOrcSuite {
  private val jvmZone = TimeZone.getDefault

  override def beforeAll(): Unit = TimeZone.setDefault(TimeZone.getTimeZone("America/Los_Angeles"))
  override def afterAll(): Unit = {
    TimeZone.setDefault(jvmZone)
    super.afterAll()
  }

  private val everyType =
    "id bigint, b boolean, t tinyint, s smallint, i int, f float, d double, str string, bin binary, dt date, " +
      "ts timestamp, d5 decimal(5,2), d18 decimal(18,0), d38 decimal(38,10), " +
      "a array<int>, m map<string,decimal(20,3)>, st struct<x:int,y:string,z:struct<w:timestamp>>, " +
      "deep array<struct<k:map<int,array<string>>,t:timestamp>>"
  private val everyHiveType = "struct<" + everyType.replaceAll("(?<=^|, )(\\w+) ", "$1:").replace(", ", ",") + ">"

  /** Timestamps lie at noon in UTC, where no zone has an ambiguous hour. Every column is null in every seventh row, of
    * different rows; nested values hold nulls too.
    */
  private def everyRow(count: Int): DataFrame = {
    def n(shift: Int, e: String) = s"if((id + $shift) % 7 = 0, null, $e)"
    spark
      .range(0, count, 1, 3)
      .selectExpr(
        "id",
        n(1, "id % 2 = 0"),
        n(2, "cast(id % 256 - 128 as tinyint)"),
        n(3, "cast(id * 31 % 65536 - 32768 as smallint)"),
        n(4, "cast(hash(id) as int)"),
        n(5, "cast(hash(id, 1) / 1000 as float)"),
        n(
          6,
          "case id % 50 when 0 then double('NaN') when 1 then -0.0d when 2 then double('-Infinity') else hash(id) / 7 end"
        ),
        n(0, "concat('żółć-', repeat(chr(int(97 + id % 26)), int(id % 40)), '😀')"),
        n(1, "cast(concat('b', id) as binary)"),
        n(2, "date_add(date'1970-01-01', int(hash(id) % 700000))"),
        n(3, "timestamp_micros((hash(id) % 300000) * 86400000000L + 43200000000L + hash(id, 2) % 1000000)"),
        n(4, "cast((hash(id) % 99999) / 100 as decimal(5,2))"),
        n(5, "cast(xxhash64(id) % 999999999999999999 as decimal(18,0))"),
        n(6, "cast(cast(xxhash64(id) as decimal(38,10)) * 1000000 + 0.0123456789 as decimal(38,10))"),
        n(0, "transform(sequence(1, int(id % 5) + 1), x -> if(x = 2, null, int(x * id)))"),
        n(1, "if(id % 3 = 0, map(), map('k', cast(id as decimal(20,3)), concat('l', id), null))"),
        n(
          2,
          "named_struct('x', if(id % 4 = 0, null, int(id)), 'y', string(id), 'z', " +
            "if(id % 5 = 0, null, named_struct('w', timestamp_seconds(id * 86400 - 2999980800))))"
        ),
        n(
          3,
          "transform(sequence(1, int(id % 3) + 1), x -> if(x = 3, null, named_struct('k', " +
            "map(int(x), if(id % 2 = 0, null, array('a', null, string(id)))), 't', timestamp_seconds(id * x * 86400 + 43200))))"
        )
      )
      .toDF(StructType.fromDDL(everyType).fieldNames.toIndexedSeq: _*)
  }

  for (zone <- Seq("UTC", "Europe/Paris", "Asia/Kolkata", "America/St_Johns"))
    test(s"every type, nested and null, comes back as it was written ($zone)") {
      withConf("spark.sql.session.timeZone" -> zone) {
        val table = new Table(everyType, everyHiveType, zone)
        table.insert(everyRow(5000))
        sameRows(table.read(), everyRow(5000))
        assertEquals(table.read().filter("id % 2 = 0").select("st.z.w", "deep", "a").count(), 2500L)
        sameRows(table.read().select("st.z.w", "deep.t", "d38"), everyRow(5000).select("st.z.w", "deep.t", "d38"))
      }
    }

  test("rows come back one by one as in batches") {
    val table = new Table(everyType, everyHiveType)
    table.insert(everyRow(3000))
    table.delete("id % 10 = 3")
    val expected = everyRow(3000).where("id % 10 != 3")
    withConf("spark.sql.codegen.wholeStage" -> "false")(sameRows(table.read(), expected))
    withConf("spark.sql.codegen.maxFields" -> "5")(sameRows(table.read(), expected))
    sameRows(table.read(), expected)
  }

  test("a TIMESTAMP is stored as the wall clock of the session's zone, in UTC") {
    val table = new Table("ts timestamp", "struct<ts:timestamp>", "Asia/Tokyo")
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo") {
      table.insert(spark.sql("select timestamp'2024-02-29 23:45:01.123456'").coalesce(1))
    }
    val stored = new Table("ts timestamp_ntz", "struct<ts:timestamp>")
    stored.dataFolders = Nil
    val file = table.bucketFiles(table.dataFolders.head).head.getPath
    val reader = OrcFile.createReader(file, OrcFile.readerOptions(table.conf))
    assertEquals(reader.getFileTail.getFooter.getCalendar.toString, "PROLEPTIC_GREGORIAN")
    assertEquals(table.read(schema = stored.schema).head().get(0).toString, "2024-02-29T23:45:01.123456")
    reader.close()
  }

  test("a wall clock becomes the instant that Spark's own cast gives it, also in gaps, overlaps and before 1900") {
    val walls = spark
      .sql(
        """select explode(flatten(array(
        |  sequence(timestamp_ntz'2021-03-27 22:00:00', timestamp_ntz'2021-03-28 06:00:00', interval 7 minutes),
        |  sequence(timestamp_ntz'2021-10-30 22:00:00', timestamp_ntz'2021-10-31 06:00:00', interval 7 minutes),
        |  sequence(timestamp_ntz'2021-03-14 00:00:00', timestamp_ntz'2021-03-14 05:00:00', interval 11 minutes),
        |  sequence(timestamp_ntz'2021-11-07 00:00:00', timestamp_ntz'2021-11-07 05:00:00', interval 11 minutes),
        |  sequence(timestamp_ntz'1890-12-31 20:00:00', timestamp_ntz'1891-03-20 04:00:00', interval 61 minutes),
        |  sequence(timestamp_ntz'0001-01-01 00:00:00', timestamp_ntz'2200-01-01 00:00:00', interval 97 days),
        |  sequence(timestamp_ntz'2011-12-28 00:00:00', timestamp_ntz'2012-01-02 00:00:00', interval 3 hours)
        |))) as ts""".stripMargin
      )
      .repartition(1)
    val table = new Table("ts timestamp_ntz", "struct<ts:timestamp>")
    table.insert(walls)
    val instants = StructType.fromDDL("ts timestamp")
    for (zone <- Seq("Europe/Paris", "America/Los_Angeles", "Pacific/Apia", "Africa/Monrovia", "UTC", "GMT+5")) {
      withConf("spark.sql.session.timeZone" -> zone) {
        sameRows(
          table.read(zone, instants).selectExpr("unix_micros(ts)"),
          walls.selectExpr("unix_micros(cast(ts as timestamp))")
        )
        val written = new Table("ts timestamp", "struct<ts:timestamp>", zone)
        written.insert(table.read(zone, instants))
        sameRows(
          written.read(schema = table.schema),
          table.read(zone, instants).selectExpr("cast(ts as timestamp_ntz)")
        )
      }
    }
  }

  test("dates and timestamps before 1582 keep their day of the proleptic calendar") {
    val rows = spark.sql(
      "select date'1582-10-10' as d, timestamp'1500-02-28 12:00:00' as ts union all " +
        "select date'0001-01-01', timestamp'0001-01-01 00:00:00'"
    )
    val table =
      new Table("d date, ts timestamp", "struct<d:date,ts:timestamp>", spark.conf.get("spark.sql.session.timeZone"))
    table.insert(rows)
    sameRows(table.read(), rows)
  }

  test("the one kind of TIMESTAMP that ORC would store wrongly is refused") {
    val table = new Table("ts timestamp", "struct<ts:timestamp>")
    for (wrong <- Seq("-1", "-500000", "-999000"))
      assertEquals(
        acidError(table.insert(spark.sql(s"select timestamp_micros($wrong) as ts"))).condition,
        "HIVE_ACID_UNWRITABLE_VALUE.MILLISECONDS_BEFORE_1970"
      )
    val right = spark.sql("select explode(array(0L, 1L, -999001L, -1000000L, -1500000L)) as m")
    withConf("spark.sql.session.timeZone" -> "UTC") {
      table.insert(right.selectExpr("timestamp_micros(m) as ts"))
      sameRows(table.read().selectExpr("unix_micros(ts)"), right)
    }
  }

  test("CHAR comes back padded by Spark, VARCHAR as it is, also nested and beyond ASCII") {
    val rowType = "struct<c:char(4),v:varchar(6),a:array<char(3)>>"
    val table = new Table("c char(4), v varchar(6), a array<char(3)>", rowType)
    table.insert(
      spark.sql("select 'ab' as c, 'x  ' as v, array('p', null) as a union all select 'żół', 'żółćęą', null")
    )
    val declared = CharVarcharUtils.replaceCharVarcharWithStringInSchema(table.schema)
    assertEquals(
      table.read(schema = declared).collect().map(shown).toSet,
      Set("[ab  ,x  ,ArraySeq(p  , null)]", "[żół ,żółćęą,null]")
    )
    assertEquals(table.read(schema = declared).where("c = 'ab' and v = 'x  '").count(), 1L)
    assertEquals(table.read(schema = declared).where("c > 'b' or v = 'x'").count(), 1L)
  }

  test("a column that is a name in quotes, or a name of ours, is like any other") {
    val table = new Table(
      "`a b` int, `row` int, `__hiveacid_x` int, operation int, `rowid` bigint",
      "struct<`a b`:int,`row`:int,`__hiveacid_x`:int,operation:int,rowid:bigint>"
    )
    val rows = spark.sql("select 1 as `a b`, 2 as `row`, 3 as `__hiveacid_x`, 4 as operation, 5L as rowid")
    table.insert(rows)
    sameRows(table.read(), rows)
    sameRows(table.read().where("`a b` = 1 and `row` = 2 and operation = 4").select("rowid"), rows.select("rowid"))
  }
}
