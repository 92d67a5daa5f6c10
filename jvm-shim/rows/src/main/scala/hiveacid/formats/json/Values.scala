package hiveacid.formats.json

import java.time.{LocalDate, LocalDateTime, ZoneOffset}
import java.util.LinkedHashMap

import hiveacid.values.WallClock
import org.apache.hadoop.hive.common.`type`.HiveDecimal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A line, or a part of it, that Hive's reader fails on as well, or that becomes no row of Spark. */
final class JsonLineException(message: String, cause: Throwable = null) extends RuntimeException(message, cause)

/** A value of Hive that Spark cannot hold. */
final class UnheldException(val condition: String, val parameters: Map[String, String] = Map.empty)
    extends RuntimeException(condition)

/** The values of Hive as Spark's. An object is for one thread. */
final class Values(zone: WallClock) {
  import Values._

  def string(text: String): UTF8String = UTF8String.fromString(text)

  /** Cut to as many characters (code points), and filled up with blanks. */
  def char(text: String, length: Int): UTF8String = {
    val cut = varcharText(text, length)
    string(cut + " " * (length - cut.codePointCount(0, cut.length)))
  }

  def varchar(text: String, length: Int): UTF8String = string(varcharText(text, length))

  /** Rounded half up to the scale; null for what is no number or has too many digits. */
  def decimal(text: String, t: DecimalType): Decimal =
    Option(HiveDecimal.create(text))
      .flatMap(d => Option(HiveDecimal.enforcePrecisionScale(d, t.precision, t.scale)))
      .map(d => Decimal(d.bigDecimalValue, t.precision, t.scale))
      .orNull

  /** Throws an ArithmeticException for a day that Spark cannot count. */
  def date(day: LocalDate): Int = Math.toIntExact(day.toEpochDay)

  /** Throws an ArithmeticException for a moment that Spark cannot count. */
  def timestamp(wall: LocalDateTime, t: DataType): Long = {
    val second = wall.toEpochSecond(ZoneOffset.UTC)
    Math.multiplyExact(second, MicrosPerSecond)
    val micros = zone.micros(second, wall.getNano)
    if (t == TimestampNTZType) micros else zone.toInstant(micros)
  }

  def array(items: Array[Any]): ArrayData = new GenericArrayData(items)

  def row(fields: Array[Any]): InternalRow = new GenericInternalRow(fields)

  /** The last value counts if keys are equal. TIMESTAMPs that are one instant here may be two wall clocks to Hive. */
  def put(into: LinkedHashMap[Any, Any], key: Any, t: DataType, value: Any): Unit = {
    val isInstant = t == TimestampType || t == TimestampNTZType
    if (isInstant && into.containsKey(key))
      throw new UnheldException("HIVE_ACID_UNSUPPORTED_LAYOUT.JSON_TIMESTAMP_KEY_TWICE")
    into.put(Values.key(key), value)
  }

  /** Keys and values in the order of the first occurrence of each key, with the value of its last. */
  def map(entries: LinkedHashMap[Any, Any]): MapData = {
    if (entries.containsKey(null)) throw new UnheldException("HIVE_ACID_UNSUPPORTED_LAYOUT.JSON_NULL_KEY")
    val keys = entries.keySet.toArray.map(k => plain(k))
    new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(entries.values.toArray.map(v => v: Any)))
  }
}

object Values {
  private val MicrosPerSecond = 1000000L

  /** Arrays of bytes as keys of a map in making. */
  def key(value: Any): Any = value match {
    case bytes: Array[Byte] => java.nio.ByteBuffer.wrap(bytes)
    case other              => other
  }

  private def plain(key: Any): Any = key match {
    case buffer: java.nio.ByteBuffer => buffer.array
    case other                       => other
  }

  private def varcharText(text: String, length: Int): String =
    if (text.codePointCount(0, text.length) <= length) text else text.substring(0, text.offsetByCodePoints(0, length))
}
