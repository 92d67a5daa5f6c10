package hiveacid.values

import java.time.{LocalDateTime, ZoneId}

import munit.FunSuite

class WallClockSuite extends FunSuite {
  private var skipped = Seq.empty[LocalDateTime]
  private var cut = Seq.empty[LocalDateTime]
  private val losses = new WallClock.Losses {
    override def skipped(wall: LocalDateTime): Unit = WallClockSuite.this.skipped :+= wall
    override def nanoseconds(wall: LocalDateTime): Unit = cut :+= wall
  }
  private val clock = new WallClock(ZoneId.of("Europe/Berlin"), losses)

  test("nanoseconds are cut off, and told of") {
    assertEquals(clock.micros(-1L, 123456789), -1000000L + 123456L)
    assertEquals(clock.micros(5L, 123456000), 5123456L)
    assertEquals(cut, Seq(LocalDateTime.parse("1969-12-31T23:59:59.123456789")))
  }

  test("a wall clock that the zone skips is told of, and becomes a later instant") {
    val wall = LocalDateTime.parse("2024-03-31T02:30:00")
    val micros = wall.toEpochSecond(java.time.ZoneOffset.UTC) * 1000000L
    assertEquals(clock.toWall(clock.toInstant(micros)), micros + 3600L * 1000000L)
    assertEquals(skipped, Seq(wall))
  }
}
