package hiveacid.values

import java.time.{Instant, LocalDateTime, ZoneId}

import munit.FunSuite

class WallClockSuite extends FunSuite {
  private var skipped = Seq.empty[LocalDateTime]
  private var repeated = Seq.empty[LocalDateTime]
  private var zoneless = 0
  private var cut = Seq.empty[LocalDateTime]
  private val losses = new WallClock.Losses {
    override def skipped(wall: LocalDateTime): Unit = WallClockSuite.this.skipped :+= wall
    override def repeated(wall: LocalDateTime): Unit = WallClockSuite.this.repeated :+= wall
    override def unzoned(): Unit = WallClockSuite.this.zoneless += 1
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

  test("an instant of a clock that the zone has twice is told of, if it is the second one") {
    val first = Instant.parse("2024-10-27T00:30:00Z").toEpochMilli * 1000L
    assertEquals(clock.keeping(first), first)
    assertEquals(repeated, Nil)
    val second = first + 3600L * 1000000L
    assertEquals(clock.keeping(second), second)
    assertEquals(repeated, Seq(LocalDateTime.parse("2024-10-27T02:30:00")))
  }

  test("an instant of which nobody says what clock it stands for is told of") {
    assertEquals(clock.unzoned(5L), 5L)
    assertEquals(zoneless, 1)
  }
}
