package hiveacid.search

import java.math.BigDecimal

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

/** Texts as the values of a type show them.
  *
  * A text is spelled only if the value is exactly what it says. A cast rounds `99.6` to 100 in DECIMAL(10, 0) and takes
  * `1984` for a day of January: the value would be another person's.
  *
  * @param zone
  *   the session's time zone
  * @param isAnsi
  *   whether the session casts by ANSI, which spells small decimals out
  */
final case class ValueSpelling(zone: String, isAnsi: Boolean) {
  import ValueSpelling._

  /** The text as `CAST(value AS STRING)` shows it; None if it is no value of the type. */
  def spell(text: String, t: DataType): Option[String] = t match {
    case c: CharType      => Some(text).filter(length(_) <= c.length).map(_ + " " * (c.length - length(text)))
    case v: VarcharType   => Some(text).filter(length(_) <= v.length)
    case _: StringType    => Some(text)
    case _: NumericType   => cast(text, t).filter(isSameNumber(text, _)).map(unsigned)
    case BooleanType      => cast(text, t)
    case BinaryType       => cast(text, t).filter(_ == text)
    case DateType         => Some(text).filter(Day.pattern.matcher(_).matches).flatMap(cast(_, t))
    case TimestampType    => spellTimestamp(text)
    case TimestampNTZType => Some(text).filter(zoneOf(_).contains("")).flatMap(cast(_, t))
    case _: ArrayType | _: MapType | _: StructType | NullType => None
    case other                                                => cast(text, other).filter(_ == text.trim)
  }

  /** None for a local time that clocks leave out, which a cast moves by an hour, and for one that several values show:
    * no key names one of them alone.
    */
  private def spellTimestamp(text: String): Option[String] = zoneOf(text).flatMap { own =>
    val found = cast(text, TimestampType).filterNot(isOfSeveral)
    if (own.isEmpty) found.filter(cast(text, TimestampNTZType).contains(_)) else found
  }

  /** True for a time at which the zone's clocks are set back, which two moments have; and for one of the first hour
    * after they were set forward: files keep times of day, and one that the clocks leave out is shown as such.
    */
  private def isOfSeveral(shown: String): Boolean =
    Cast(Literal(shown), TimestampNTZType, Some(zone), EvalMode.TRY).eval() match {
      case micros: Long =>
        val (rules, local) = (DateTimeUtils.getZoneId(zone).getRules, DateTimeUtils.microsToLocalDateTime(micros))
        val offsets = rules.getValidOffsets(local)
        offsets.size > 1 || offsets.asScala.exists { offset =>
          val last = rules.previousTransition(local.toInstant(offset).plusNanos(1))
          last != null && last.isGap && local.isBefore(last.getDateTimeAfter.plus(last.getDuration))
        }
      case _ => false
    }

  private def cast(text: String, t: DataType): Option[String] = {
    val value = Cast(Literal(text), t, Some(zone), EvalMode.TRY)
    Option(Cast(value, StringType, Some(zone), EvalMode.fromBoolean(isAnsi)).eval()).map(_.toString)
  }

  /** Both zeros are equal, and have one text here and in rows. */
  private def unsigned(number: String): String = if (number == "-0.0") "0.0" else number

  private def length(text: String): Int = text.codePointCount(0, text.length)
}

object ValueSpelling {
  private val Date = """\s*[+-]?\d{4,7}-\d{1,2}-\d{1,2}"""
  private val Day: Regex = s"""$Date\\s*""".r

  /** A day, and a time of it down to microseconds. The group is the time's own zone. */
  private val Moment: Regex =
    s"""$Date(?:[ T]\\d{1,2}(?::\\d{1,2}(?::\\d{1,2}(?:\\.\\d{0,6}0*)?)?)?\\s*([^.:\\d\\s].*?)?)?\\s*""".r

  /** The zone that the text of a moment names, empty for none; None for another text. */
  private def zoneOf(text: String): Option[String] = text match {
    case Moment(own) => Some(Option(own).getOrElse(""))
    case _           => None
  }

  /** A number that is none in decimal digits, such as NaN, has names only. `1e400` is one, and not infinite. */
  private def isSameNumber(text: String, shown: String): Boolean =
    (Try(new BigDecimal(text.trim)).toOption, Try(new BigDecimal(shown)).toOption) match {
      case (Some(given), Some(value)) => given.compareTo(value) == 0
      case (given, value)             => given.isEmpty && value.isEmpty
    }
}
