package hiveacid.formats.parquet

import hiveacid.errors.{Refusal, UnwritableValueException}

import org.apache.spark.sql.catalyst.util.RebaseDateTime

/** Days and wall clocks as the hybrid of the Julian and the Gregorian calendar counts them, and as Spark does, in the
  * proleptic Gregorian calendar: the same year, month and day. A count is of days or microseconds since 1970-01-01.
  */
object HybridCalendar {
  private val MicrosPerDay = 86400000000L
  private val FirstGregorian = java.time.LocalDate.of(1582, 10, 15).toEpochDay
  private val LastJulian = java.time.LocalDate.of(1582, 10, 4).toEpochDay

  def toProlepticDay(day: Int): Int = RebaseDateTime.rebaseJulianToGregorianDays(day)

  def toProlepticMicros(micros: Long): Long = {
    val day = Math.floorDiv(micros, MicrosPerDay)
    micros + (toProlepticDay(day.toInt) - day) * MicrosPerDay
  }

  /** @throws UnwritableValueException
    *   for one of the ten days that the hybrid calendar leaves out
    */
  def ofProlepticMicros(micros: Long): Long = {
    val day = Math.floorDiv(micros, MicrosPerDay)
    if (day > LastJulian && day < FirstGregorian)
      throw new UnwritableValueException(Refusal("HIVE_ACID_UNWRITABLE_VALUE.DAYS_LEFT_OUT"))
    micros + (RebaseDateTime.rebaseGregorianToJulianDays(day.toInt) - day) * MicrosPerDay
  }
}
