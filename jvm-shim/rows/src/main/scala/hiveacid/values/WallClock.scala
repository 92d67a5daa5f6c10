package hiveacid.values

import java.time.{Instant, LocalDateTime, ZoneId, ZoneOffset}

/** Converts between wall clock (what Hive stores in a TIMESTAMP) and instant (what Spark holds), both as microseconds
  * since 1970-01-01 00:00, in the proleptic Gregorian calendar.
  *
  * The rules are those of `LocalDateTime.atZone`, which Spark's own casts follow: a wall clock inside a gap moves
  * forward by the gap's length, one inside an overlap takes the earlier instant. The offset of the interval between two
  * transitions is kept, because neighbouring values mostly share it; an object is for one thread.
  *
  * @param losses
  *   told of each wall clock that the way back would not give again
  */
final class WallClock(zone: ZoneId, losses: WallClock.Losses = WallClock.Accepted) {
  import WallClock._

  private val rules = zone.getRules
  // wall clock seconds [wallFrom, wallUntil) and instant seconds [instantFrom, instantUntil) have this offset
  private var offset = 0L
  private var wallFrom = Long.MaxValue
  private var wallUntil = Long.MinValue
  private var instantFrom = Long.MaxValue
  private var instantUntil = Long.MinValue

  /** The wall clock in whole microseconds, which are all that Spark holds, of seconds since 1970 and the fraction. */
  def micros(second: Long, nanos: Int): Long = {
    if (nanos % 1000 != 0) losses.nanoseconds(LocalDateTime.ofEpochSecond(second, nanos, ZoneOffset.UTC))
    second * MicrosPerSecond + nanos / 1000
  }

  def toInstant(wallMicros: Long): Long = {
    val second = Math.floorDiv(wallMicros, MicrosPerSecond)
    if (second < wallFrom || second >= wallUntil) {
      val wall = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC)
      if (rules.getValidOffsets(wall).isEmpty) losses.skipped(wall)
      val before = rules.getOffset(wall).getTotalSeconds.toLong
      remember(second - before)
      // inside a gap or overlap the kept interval may have the other offset
      if (second < wallFrom || second >= wallUntil) return wallMicros - before * MicrosPerSecond
    }
    wallMicros - offset * MicrosPerSecond
  }

  /** The instant itself, which is to be stored by its wall clock alone. */
  def keeping(instantMicros: Long): Long = {
    val wall = toWall(instantMicros)
    if (toInstant(wall) != instantMicros)
      losses.repeated(LocalDateTime.ofEpochSecond(Math.floorDiv(wall, MicrosPerSecond), 0, ZoneOffset.UTC))
    instantMicros
  }

  /** The instant itself of a file that does not say which zone's wall clock it stands for: it is to be stored by that
    * of this zone.
    */
  def unzoned(instantMicros: Long): Long = {
    losses.unzoned()
    instantMicros
  }

  def toWall(instantMicros: Long): Long = {
    val second = Math.floorDiv(instantMicros, MicrosPerSecond)
    if (second < instantFrom || second >= instantUntil) remember(second)
    instantMicros + offset * MicrosPerSecond
  }

  /** Keeps the offset in force at this instant, with the instants and the unambiguous wall clocks it covers. */
  private def remember(second: Long): Unit = {
    val at = Instant.ofEpochSecond(second)
    offset = rules.getOffset(at).getTotalSeconds.toLong
    // previousTransition looks strictly before its argument: a transition at `at` itself must count
    Option(rules.previousTransition(at.plusSeconds(1))) match {
      case Some(t) =>
        instantFrom = t.toEpochSecond
        wallFrom = instantFrom + Math.max(t.getOffsetBefore.getTotalSeconds, t.getOffsetAfter.getTotalSeconds)
      case None => instantFrom = Long.MinValue; wallFrom = Long.MinValue
    }
    Option(rules.nextTransition(at)) match {
      case Some(t) =>
        instantUntil = t.toEpochSecond
        wallUntil = instantUntil + Math.min(t.getOffsetBefore.getTotalSeconds, t.getOffsetAfter.getTotalSeconds)
      case None => instantUntil = Long.MaxValue; wallUntil = Long.MaxValue
    }
  }
}

object WallClock {

  /** Ways to treat wall clocks that would be written back as others. */
  trait Losses {

    /** It lies inside a gap of the zone, so that it becomes a later instant. */
    def skipped(wall: LocalDateTime): Unit

    /** The zone has it twice, and the instant of a file is the later of both. */
    def repeated(wall: LocalDateTime): Unit

    /** It is an instant, and its file does not say which zone's wall clock that stands for. */
    def unzoned(): Unit

    /** Its fraction of a second has digits behind the microseconds. */
    def nanoseconds(wall: LocalDateTime): Unit
  }

  object Accepted extends Losses {
    override def skipped(wall: LocalDateTime): Unit = ()
    override def repeated(wall: LocalDateTime): Unit = ()
    override def unzoned(): Unit = ()
    override def nanoseconds(wall: LocalDateTime): Unit = ()
  }

  private val MicrosPerSecond = 1000000L
}
