package hiveacid.formats.orc

import java.util.Locale

import hiveacid.formats.{Comparison, FloatingPoint}
import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.io.sarg.{PredicateLeaf, SearchArgument, SearchArgumentFactory}
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument.Builder
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

/** Translates pushed filters into ORC's search arguments, which skip stripes and row groups by their statistics.
  *
  * Spark evaluates every filter again, so leaving one out is always right; one is left out wherever the order or
  * equality of ORC's statistics could differ from Spark's:
  *   - timestamps, CHAR and columns whose type in the file is not the table's;
  *   - dates of files in the hybrid calendar, dates before the Gregorian calendar, and days that a java.sql.Date cannot
  *     tell from others;
  *   - floating point zero (ORC tells -0.0 from 0.0) and NaN;
  *   - text that is not ASCII: ORC's bounds have U+FFFD for bytes that are no UTF-8, which is above what they were, and
  *     Java's order of characters differs from that of UTF-8 bytes above U+D7FF;
  *   - columns whose names are numbers, which ORC takes for those of its types (ParserUtils.findColumn).
  *
  * @param schema
  *   the required columns
  * @param unconverted
  *   lower-case names of the columns that may be used
  */
final class SearchArguments(schema: StructType, unconverted: Set[String], dates: Boolean) {
  import SearchArguments._

  private val columns: Map[String, DataType] =
    schema.fields.map(f => f.name.toLowerCase(Locale.ROOT) -> f.dataType).toMap.filter { case (name, _) =>
      unconverted(name) && name.matches("[0-9]*[a-z_][a-z0-9_]*")
    }

  /** The conjunction of those filters that can be pushed, or None. A SearchArgument cannot be serialised. */
  def build(filters: Seq[Filter]): Option[SearchArgument] = {
    val pushable = filters.filter(translatable)
    if (pushable.isEmpty) None
    else {
      val builder = SearchArgumentFactory.newBuilder().startAnd()
      pushable.foreach(add(_, builder))
      Some(builder.end().build())
    }
  }

  private def translatable(filter: Filter): Boolean = filter match {
    case And(a, b)             => translatable(a) && translatable(b)
    case Or(a, b)              => translatable(a) && translatable(b)
    case Not(a)                => translatable(a)
    case IsNull(name)          => leafType(name).isDefined
    case IsNotNull(name)       => leafType(name).isDefined
    case In(name, values)      => values.nonEmpty && values.forall(literal(name, _).isDefined)
    case Comparison(name, one) => literal(name, one).isDefined
    case _                     => false
  }

  private def add(filter: Filter, b: Builder): Unit = {
    def value(name: String, v: Any) = literal(name, v).get
    filter match {
      case And(a, c)                => b.startAnd(); add(a, b); add(c, b); b.end()
      case Or(a, c)                 => b.startOr(); add(a, b); add(c, b); b.end()
      case Not(a)                   => b.startNot(); add(a, b); b.end()
      case IsNull(n)                => b.isNull(column(n), leafType(n).get)
      case IsNotNull(n)             => b.startNot(); b.isNull(column(n), leafType(n).get); b.end()
      case In(n, values)            => b.in(column(n), leafType(n).get, values.map(value(n, _)).toSeq: _*)
      case EqualTo(n, v)            => b.equals(column(n), leafType(n).get, value(n, v))
      case EqualNullSafe(n, v)      => b.nullSafeEquals(column(n), leafType(n).get, value(n, v))
      case LessThan(n, v)           => b.lessThan(column(n), leafType(n).get, value(n, v))
      case LessThanOrEqual(n, v)    => b.lessThanEquals(column(n), leafType(n).get, value(n, v))
      case GreaterThan(n, v)        => b.startNot(); b.lessThanEquals(column(n), leafType(n).get, value(n, v)); b.end()
      case GreaterThanOrEqual(n, v) => b.startNot(); b.lessThan(column(n), leafType(n).get, value(n, v)); b.end()
      case other                    => throw new IllegalStateException(s"filter $other")
    }
  }

  private def column(name: String) = name.toLowerCase(Locale.ROOT)

  private def leafType(name: String): Option[PredicateLeaf.Type] = columns.get(column(name)).flatMap {
    case ByteType | ShortType | IntegerType | LongType => Some(PredicateLeaf.Type.LONG)
    case FloatType | DoubleType                        => Some(PredicateLeaf.Type.FLOAT)
    case t if t == StringType                          => Some(PredicateLeaf.Type.STRING)
    case DateType if dates                             => Some(PredicateLeaf.Type.DATE)
    case _: DecimalType                                => Some(PredicateLeaf.Type.DECIMAL)
    case _                                             => None
  }

  private def literal(name: String, value: Any): Option[AnyRef] = columns.get(column(name)).flatMap { dataType =>
    (dataType, value) match {
      case (ByteType | ShortType | IntegerType | LongType, v: Number)                     => Some(Long.box(v.longValue))
      case (FloatType | DoubleType, v: Number) if FloatingPoint.isOrdinary(v.doubleValue) =>
        Some(Double.box(v.doubleValue))
      case (t, v: String) if t == StringType && v.forall(_ < '\u0080') => Some(v)
      case (_: DecimalType, v: java.math.BigDecimal)                   => decimal(v)
      case (DateType, v: java.sql.Date) if dates && isOneDay(v)        => date(v.toLocalDate)
      case (DateType, v: java.time.LocalDate) if dates                 => date(v)
      case _                                                           => None
    }
  }

  private def decimal(v: java.math.BigDecimal): Option[AnyRef] =
    Option(HiveDecimal.create(v)).filter(_.bigDecimalValue.compareTo(v) == 0).map(new HiveDecimalWritable(_))

  /** False if Spark gives a neighbour of the day the same value: a day that the calendars or the JVM's time zone left
    * out, such as those of 1582, or 2011-12-30 in Samoa.
    */
  private def isOneDay(v: java.sql.Date): Boolean = {
    val day = v.toLocalDate.toEpochDay.toInt
    Seq(day - 1, day + 1).forall(DateTimeUtils.toJavaDate(_) != v)
  }

  private def date(v: java.time.LocalDate): Option[AnyRef] =
    Some(java.sql.Date.valueOf(v)).filter(date => !v.isBefore(Gregorian) && date.toLocalDate == v)
}

object SearchArguments {
  private val Gregorian = java.time.LocalDate.of(1582, 10, 15)
}
