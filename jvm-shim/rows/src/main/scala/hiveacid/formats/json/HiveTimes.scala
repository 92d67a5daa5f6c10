package hiveacid.formats.json

import java.text.ParsePosition
import java.time.{DateTimeException, LocalDate, LocalDateTime}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder, DateTimeParseException, ResolverStyle, SignStyle}
import java.time.temporal.ChronoField._

/** Dates and timestamps out of text, as classes Date and Timestamp of hive-common read them. */
sealed trait HiveTimes {

  /** Throws a DateTimeException for what is no date. */
  def date(text: String): LocalDate

  /** Throws a DateTimeException for what is no timestamp. */
  def timestamp(text: String): LocalDateTime
}

object HiveTimes {
  private def days(yearDigits: Int) = new DateTimeFormatterBuilder()
    .appendValue(YEAR, 1, yearDigits, SignStyle.NORMAL)
    .appendLiteral('-')
    .appendValue(MONTH_OF_YEAR, 1, 2, SignStyle.NORMAL)
    .appendLiteral('-')
    .appendValue(DAY_OF_MONTH, 1, 2, SignStyle.NORMAL)

  private def clock(resolver: ResolverStyle): DateTimeFormatter = days(yearDigits = 10)
    .optionalStart()
    .appendLiteral(' ')
    .appendValue(HOUR_OF_DAY, 1, 2, SignStyle.NORMAL)
    .appendLiteral(':')
    .appendValue(MINUTE_OF_HOUR, 1, 2, SignStyle.NORMAL)
    .appendLiteral(':')
    .appendValue(SECOND_OF_MINUTE, 1, 2, SignStyle.NORMAL)
    .optionalStart()
    .appendFraction(NANO_OF_SECOND, 1, 9, true)
    .optionalEnd()
    .optionalEnd()
    .toFormatter()
    .withResolverStyle(resolver)

  private def parse(text: String, formatter: DateTimeFormatter): LocalDateTime = {
    val trimmed = text.trim
    try LocalDateTime.parse(trimmed, formatter)
    catch { case _: DateTimeException => LocalDateTime.parse(trimmed) }
  }

  /** Hive 3.1.3: days and hours beyond the end of a month or day are carried on. */
  object Of3 extends HiveTimes {
    private val dateFormat = days(yearDigits = 10).toFormatter().withResolverStyle(ResolverStyle.LENIENT)
    private val timestampFormat = clock(ResolverStyle.LENIENT)

    override def date(text: String): LocalDate = {
      val trimmed = text.trim
      LocalDate.parse(trimmed.take(Some(trimmed.indexOf(' ')).filter(_ >= 0).getOrElse(trimmed.length)), dateFormat)
    }

    override def timestamp(text: String): LocalDateTime = parse(text, timestampFormat)
  }

  /** Hive 4.0.1 and 4.1.0: strict, and whatever follows a date is passed over unless it is a digit. */
  object Of4 extends HiveTimes {
    private val dateFormat = days(yearDigits = 4).toFormatter().withResolverStyle(ResolverStyle.STRICT)
    private val timestampFormat = clock(ResolverStyle.STRICT)

    override def date(text: String): LocalDate = {
      val trimmed = text.trim
      val position = new ParsePosition(0)
      val parsed = dateFormat.parse(trimmed, position)
      val end = position.getIndex
      val isFollowedByDigit = end < trimmed.length && trimmed(end) >= '0' && trimmed(end) <= '9'
      if (position.getErrorIndex >= 0 || isFollowedByDigit) throw new DateTimeParseException("no date", trimmed, end)
      LocalDate.of(parsed.get(YEAR), parsed.get(MONTH_OF_YEAR), parsed.get(DAY_OF_MONTH))
    }

    override def timestamp(text: String): LocalDateTime = parse(text, timestampFormat)
  }
}
