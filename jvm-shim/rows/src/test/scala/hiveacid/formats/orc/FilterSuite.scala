package hiveacid.formats.orc

import java.util.TimeZone

import hiveacid.AcidOrcSuite
import org.apache.orc.OrcConf

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.StructType

/** Filters that are pushed into ORC skip rows, and never one that the query returns. */
class FilterSuite extends AcidOrcSuite {
  private val columns =
    "id bigint, i int, d double, f float, s string, dt date, ts timestamp, dec decimal(12,3), b boolean, c string"
  private val rowType =
    "struct<id:bigint,i:int,d:double,f:float,s:string,dt:date,ts:timestamp,dec:decimal(12,3),b:boolean,c:char(6)>"

  // clustered, so that row groups can be skipped; with nulls, signed zeros, NaN and characters outside the first plane
  private def rows: DataFrame = spark
    .range(0, 60000, 1, 1)
    .selectExpr(
      "id",
      "if(id % 11 = 0, null, int(id / 7))",
      "if(id < 20000, case id % 3 when 0 then -0.0d when 1 then 0.0d else null end, if(id % 1000 = 999, double('NaN'), id / 3))",
      "cast(if(id < 20000, -0.0, id / 4) as float)",
      "if(id < 30000, concat(if(id < 15000, 'z', 'ż'), lpad(string(id), 6, '0')), if(id < 45000, concat('😀', id), concat('～', id)))",
      "date_add(date'1582-10-01', int(id / 50))",
      "timestamp_seconds(id * 600 - 9000000)",
      "cast((id - 30000) / 8 as decimal(12,3))",
      "id >= 40000",
      "if(id < 30000, 'ab', 'abcd')"
    )
    .toDF("id", "i", "d", "f", "s", "dt", "ts", "dec", "b", "c")

  // in a small file of their own, whose values lie far apart, too
  private val twice = "id in (17, 59990)"

  private lazy val table = {
    val t = new Table(columns, rowType)
    OrcConf.STRIPE_ROW_COUNT.setLong(spark.sparkContext.hadoopConfiguration, 20480)
    t.insert(rows.where("id between 5000 and 54999"))
    spark.sparkContext.hadoopConfiguration.unset(OrcConf.STRIPE_ROW_COUNT.getAttribute)
    t.insert(rows.where("id < 5000"))
    t.insert(rows.where("id >= 55000"))
    t.insert(rows.where(twice))
    t.delete("id % 10 = 4")
    t
  }

  private val predicates = Seq(
    "id = 41235",
    "id < 100",
    "id >= 59990",
    "id in (5, 20001, 59999)",
    "id > 20000 and id < 20100",
    "id <=> 3",
    "not (id > 5)",
    "i is null and id < 500",
    "i is not null and i > 8500",
    "i = 17 or i = 8000",
    "i <=> null and id > 59000",
    "d = 0.0",
    "d = -0.0",
    "d > 0.0",
    "d >= -0.0",
    "d < 0.0",
    "d = double('NaN')",
    "d > 19990.0",
    "d in (0.0, 7000.0)",
    "f = 0.0f",
    "f < 0.0f",
    "f > 14990.5f",
    "s = 'z000017'",
    "s = 'ż020017'",
    "s > '😀'",
    "s >= '～59990'",
    "s < '～'",
    "s = '😀40000'",
    "s = '～59999'",
    "s like 'z0000%'",
    "s in ('z000003', '～50003')",
    "dt = date'1583-01-01'",
    "dt < date'1582-10-10'",
    "dt >= date'1582-10-15'",
    "dt > date'1585-12-01'",
    "dt <= date'1582-10-20'",
    "ts = timestamp'1970-01-01 00:00:00'",
    "ts > timestamp'1970-12-31 00:00:00'",
    "ts < timestamp'1969-09-20 00:00:00'",
    "dec = 12.125",
    "dec < -3749",
    "dec >= 3749.5",
    "dec between 0.1 and 0.6",
    "b",
    "not b",
    "b is null",
    "c = 'ab'",
    "c > 'ab'",
    "c = 'abcd  '",
    "id = 7 or s = '😀40007'",
    "id < 50 and (dec > 0 or dt < date'1582-10-02')"
  )

  // of all predicates at once, read without pushing: 50 reads more would show the same
  private lazy val expected: Map[String, Seq[String]] = {
    val flags = predicates.map(predicate => s"($predicate) <=> true")
    val all = withConf("spark.sql.orc.filterPushdown" -> "false") {
      table.read().selectExpr("struct(*)" +: flags: _*).collect().toSeq
    }
    predicates.zipWithIndex.map { case (predicate, k) =>
      predicate -> all.filter(_.getBoolean(k + 1)).map(_.getStruct(0).toString)
    }.toMap
  }

  // of the rows themselves, which no file has held
  private lazy val counts: Map[String, Long] = {
    val all =
      rows
        .unionAll(rows.where(twice))
        .where("id % 10 != 4")
        .selectExpr(predicates.map(predicate => s"count_if($predicate)"): _*)
        .head()
    predicates.zipWithIndex.map { case (predicate, k) => predicate -> all.getLong(k) }.toMap
  }

  for (predicate <- predicates)
    test(s"the same rows are found with and without pushing: $predicate") {
      withConf("spark.sql.session.timeZone" -> "UTC") {
        val pushed = table.read().where(predicate).collect().map(_.toString).toSeq
        assertEquals(pushed.sorted, expected(predicate).sorted)
        assertEquals(pushed.size.toLong, counts(predicate))
      }
    }

  /** A number that the scan tells, after `predicate` was read. */
  private def measured(metric: String, predicate: String, rowCount: Int): Long = {
    val read = table.read().where(predicate)
    assertEquals(read.collect().length, rowCount)
    read.queryExecution.executedPlan.collectLeaves().flatMap(_.metrics.get(metric)).map(_.value).max
  }

  test("row groups that cannot match are not read") {
    val scanned = measured("numOutputRows", "id = 41235", 1)
    assert(scanned <= 10000, s"$scanned rows were read")
  }

  test("files that cannot match are not opened") {
    assertEquals(table.files().length, 4)
    assertEquals(measured("numFiles", "id = 41235", 1), 2L)
    assertEquals(measured("numFiles", "id = 17", 2), 2L)
    assertEquals(measured("numFiles", "id = -1", 0), 0L)
    assertEquals(measured("numFiles", "s = 'z000017'", 2), 2L)
    assertEquals(measured("numFiles", "dec < -3749", 7), 1L)
  }

  /** How many rows of a table with these alone meet the predicate. */
  private def found(ddl: String, rowType: String, rows: DataFrame, predicate: String): Long = {
    val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType.fromDDL(ddl))
    val small = new Table(ddl, rowType) { override val schema: StructType = columns }
    small.insert(rows)
    withConf("spark.sql.legacy.charVarcharAsString" -> "true")(small.read().where(predicate).count())
  }

  test("a column whose name is a number is not taken for the type of that number") {
    val rows = spark.sql("select 1L as id, 100L as `7`")
    assertEquals(found("id bigint, `7` bigint", "struct<id:bigint,`7`:bigint>", rows, "`7` = 100 and id > 0"), 1L)
  }

  test("text is found among bytes that are no UTF-8") {
    val rows = spark.sql("select * from values (1, cast(X'A7' as string)), (2, 'é') as t(id, s)")
    for ((predicate, count) <- Seq("s = 'é'" -> 1L, "s < 'ê'" -> 2L, "s in ('é', 'z')" -> 1L))
      assertEquals(found("id int, s string", "struct<id:int,s:string>", rows, predicate), count, predicate)
  }

  test("CHAR is found where Spark takes it for plain text") {
    val rows = spark.sql("select 1 as id, 'ab' as c")
    assertEquals(found("id int, c char(6)", "struct<id:int,c:char(6)>", rows, "c = 'ab'"), 1L)
  }

  for ((day, zone) <- Seq("1582-10-12" -> "UTC", "1582-10-15" -> "UTC", "2011-12-30" -> "Pacific/Apia"))
    test(s"a day is found that a java.sql.Date cannot tell from others: $day in $zone") {
      val before = TimeZone.getDefault
      val rows = spark.sql(s"select 1 as id, date'$day' as d")
      TimeZone.setDefault(TimeZone.getTimeZone(zone))
      try
        withConf("spark.sql.datetime.java8API.enabled" -> "false") {
          for (predicate <- Seq(s"d = date'$day'", s"d >= date'$day'", s"d > date'$day' - interval 2 days"))
            assertEquals(found("id int, d date", "struct<id:int,d:date>", rows, predicate), 1L, predicate)
        }
      finally TimeZone.setDefault(before)
    }
}
