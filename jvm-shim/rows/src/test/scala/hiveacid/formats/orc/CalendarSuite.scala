package hiveacid.formats.orc

import hiveacid.AcidOrcSuite
import hiveacid.formats.Evolution
import hiveacid.write.SpecChanges.compression
import org.apache.orc.OrcProto

/** Dates and timestamps before 1582-10-15 of files that name no calendar, or the hybrid of Julian and Gregorian. */
class CalendarSuite extends AcidOrcSuite {
  private val asHive3 = Evolution(asHive3 = true)

  private val days =
    "select id, date'1970-01-01' + d as d, named_struct('l', array(date'1970-01-01' + d)) as s, " +
      "timestamp_ntz'1970-01-01 00:00:00' + make_dt_interval(d, 12) as t " +
      "from values (1, -349764), (2, -141428), (3, -141427), (4, 19723) as v(id, d)"

  /** A table whose only file has these days by the number from 1970, and what `mark` makes of its footer. */
  private def written(mark: OrcProto.Footer.Builder => Any): Table = {
    val rowType = "struct<id:int,d:date,s:struct<l:array<date>>,t:timestamp>"
    val t = new Table("id int, d date, s struct<l:array<date>>, t timestamp_ntz", rowType)
    t.insert(spark.sql(days).repartition(1), compression("NONE"))
    t.markFooter(t.path(t.dataFolders.head, "bucket_00000"))((footer, _) => mark(footer))
    t
  }

  private def shown(t: Table, where: String = "true"): Seq[String] =
    t.read()
      .where(where)
      .selectExpr("concat_ws(' ', id, d, s.l[0], t)")
      .collect()
      .map(_.getString(0))
      .toSeq
      .sorted

  private def expected(shownDays: String*): Seq[String] =
    shownDays.zipWithIndex.map { case (day, i) => s"${i + 1} $day $day $day 12:00:00" }

  private val proleptic = expected("1012-05-19", "1582-10-14", "1582-10-15", "2024-01-01")
  private val hybrid = expected("1012-05-13", "1582-10-04", "1582-10-15", "2024-01-01")

  private def check(t: Table, rows: Seq[String]): Unit = {
    assertEquals(shown(t), rows)
    rows.zipWithIndex.foreach { case (row, i) =>
      val day = row.split(' ')(1)
      assertEquals(shown(t, s"d = date'$day'"), Seq(row))
      assertEquals(shown(t, s"t = timestamp_ntz'$day 12:00:00'"), Seq(row))
      assertEquals(shown(t, s"d <= date'$day'"), rows.take(i + 1))
    }
  }

  test("where the file names no calendar, Hive 4 takes it for the hybrid one, and Hive 3.1 for the proleptic one") {
    val t = written(_.clearCalendar())
    check(t, hybrid)
    t.evolution = asHive3
    check(t, proleptic)
  }

  test("the calendar that a file names counts for all releases") {
    for (
      (calendar, rows) <- Seq(
        OrcProto.CalendarKind.PROLEPTIC_GREGORIAN -> proleptic,
        OrcProto.CalendarKind.JULIAN_GREGORIAN -> hybrid
      )
    ) {
      val t = written(_.setCalendar(calendar))
      for (evolution <- Seq(Evolution(), asHive3)) {
        t.evolution = evolution
        check(t, rows)
      }
    }
  }

  test("an update writes the days that were shown, and names their calendar") {
    for ((evolution, rows) <- Seq(Evolution() -> hybrid, asHive3 -> proleptic)) {
      val t = written(_.clearCalendar())
      t.evolution = evolution
      t.update("id > 0", "id" -> "id + 0")
      check(t, rows)
      t.evolution = if (evolution.asHive3) Evolution() else asHive3
      check(t, rows)
    }
  }
}
