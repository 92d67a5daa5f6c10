package hiveacid.write.buckets

import java.io.ByteArrayOutputStream
import java.math.BigDecimal
import java.nio.ByteBuffer
import java.time.{LocalDateTime, ZoneId, ZoneOffset}
import java.util.{GregorianCalendar, TimeZone}

import hiveacid.values.WallClock
import org.apache.hive.common.util.Murmur3
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Hive's hash of a value of one type, by which it chooses buckets. */
abstract class HiveHash extends Serializable {

  /** The hash of a value that is not NULL, as Spark's rows hold it. NULL has the hash 0. */
  def of(value: Any): Int
}

/** The time zones in which hashes see a TIMESTAMP.
  *
  * @param session
  *   the session's, whose wall clock is stored
  * @param server
  *   that of the JVMs of Hive's servers, on which hashes of version 1 depend; None if nobody says
  */
final case class HashZones(session: String, server: Option[String])

/** The hashes of bucketing version 1 (ObjectInspectorUtils.hashCode) and 2 (hashCodeMurmur), of Hive 3.1.3 and 4.1.0.
  */
object HiveHash {
  private val MurmurSeed = 104729

  private[buckets] def murmur(data: Array[Byte]): Int = Murmur3.hash32(data, data.length, MurmurSeed)

  /** @param to
    *   the type in the file, which says what is stored of a value: CHAR and VARCHAR are cut
    * @throws IllegalArgumentException
    *   for a type of which Hive's hash is not a function of the value, and one that `from` cannot be written as
    */
  def apply(from: DataType, to: TypeDescription, version: Int, zones: HashZones): HiveHash = {
    require(version == 1 || version == 2, s"bucketing version $version")
    def child(type_ : DataType, i: Int, version: Int = version) = apply(type_, to.getChildren.get(i), version, zones)
    (from, to.getCategory) match {
      case (Text(), Category.STRING)  => text(version, start = 0)(identity)
      case (Text(), Category.VARCHAR) => text(version, start = 1)(_.substring(0, to.getMaxLength))
      case (Text(), Category.CHAR)    =>
        text(version, start = 1)(_.substring(0, to.getMaxLength).trimRight())
      case (TimestampType, Category.TIMESTAMP) if version == 2           => new TimestampHash(Some(zones.session))
      case (TimestampNTZType, Category.TIMESTAMP) if version == 2        => new TimestampHash(None)
      case (TimestampType, Category.TIMESTAMP) if zones.server.isDefined =>
        new ServerTimestampHash(Some(zones.session), zones.server.get)
      case (TimestampNTZType, Category.TIMESTAMP) if zones.server.isDefined =>
        new ServerTimestampHash(None, zones.server.get)
      case (StructType(fields), Category.STRUCT) if fields.length == to.getChildren.size =>
        new StructHash(fields.map(_.dataType), fields.indices.map(i => child(fields(i).dataType, i)).toArray)
      case (ArrayType(element, _), Category.LIST) => new ListHash(element, child(element, 0))
      // Hive takes the old hash of a map's values even in version 2
      case (MapType(key, value, _), Category.MAP) =>
        new MapHash(key, child(key, 0), value, child(value, 1, version = 1))
      case _ =>
        (if (version == 1) first(from, to.getCategory) else second(from, to.getCategory)).getOrElse {
          throw new IllegalArgumentException(s"no hash of version $version for a column of type $to with ${from.sql}")
        }
    }
  }

  /** Values of CHAR and VARCHAR have those types before 4.0 where none is given, and later by a setting of Spark. */
  private object Text {
    def unapply(t: DataType): Boolean = t == StringType || t.isInstanceOf[CharType] || t.isInstanceOf[VarcharType]
  }

  /** The hash of numbers and the like, in Java's manner. */
  private def first(from: DataType, to: Category): Option[HiveHash] = Option((from, to)).collect {
    case (BooleanType, Category.BOOLEAN)                         => hash[Boolean](if (_) 1 else 0)
    case (ByteType, Category.BYTE)                               => hash[Byte](_.toInt)
    case (ShortType, Category.SHORT)                             => hash[Short](_.toInt)
    case (IntegerType, Category.INT) | (DateType, Category.DATE) => hash[Int](identity)
    case (LongType, Category.LONG)                               => hash[Long](java.lang.Long.hashCode)
    case (FloatType, Category.FLOAT)                             => hash[Float](java.lang.Float.floatToIntBits)
    case (DoubleType, Category.DOUBLE)                           => hash[Double](java.lang.Double.hashCode)
    case (BinaryType, Category.BINARY)                           => hash[Array[Byte]](bytes(_, start = 1))
    case (_: DecimalType, Category.DECIMAL)                      => hash[Decimal](trimmed(_).hashCode)
  }

  /** The hash of the same, by Murmur3 of their bytes, the highest first. Hive converts the bits of floating-point
    * numbers, which are integers, to a floating-point number once more.
    */
  private def second(from: DataType, to: Category): Option[HiveHash] = Option((from, to)).collect {
    case (BooleanType, Category.BOOLEAN)                         => hash[Boolean](if (_) 1 else 0)
    case (ByteType, Category.BYTE)                               => hash[Byte](_.toInt)
    case (ShortType, Category.SHORT)                             => murmur[Short](2)(_.putShort(_))
    case (IntegerType, Category.INT) | (DateType, Category.DATE) => murmur[Int](4)(_.putInt(_))
    case (LongType, Category.LONG)                               => murmur[Long](8)(_.putLong(_))
    case (FloatType, Category.FLOAT)                             =>
      murmur[Float](4)((b, v) => b.putFloat(java.lang.Float.floatToIntBits(v).toFloat))
    case (DoubleType, Category.DOUBLE) =>
      murmur[Double](8)((b, v) => b.putDouble(java.lang.Double.doubleToLongBits(v).toDouble))
    case (_: DecimalType, Category.DECIMAL) => hash[Decimal](v => murmur(trimmed(v).unscaledValue.toByteArray))
  }

  private trait Of[T] extends Serializable { def apply(value: T): Int }

  private trait Put[T] extends Serializable { def apply(buffer: ByteBuffer, value: T): Unit }

  private def hash[T](compute: Of[T]): HiveHash = new HiveHash {
    override def of(value: Any): Int = compute(value.asInstanceOf[T])
  }

  private def murmur[T](length: Int)(put: Put[T]): HiveHash = new HiveHash {
    override def of(value: Any): Int = {
      val buffer = ByteBuffer.allocate(length)
      put(buffer, value.asInstanceOf[T])
      murmur(buffer.array)
    }
  }

  /** @param start
    *   of the first version's hash
    * @param stored
    *   what the file holds of a text
    */
  private def text(version: Int, start: Int)(stored: UTF8String => UTF8String): HiveHash =
    if (version == 1) hash[UTF8String](v => bytes(stored(v).getBytes, start))
    else hash[UTF8String](v => murmur(stored(v).getBytes))

  private def bytes(data: Array[Byte], start: Int): Int = {
    var (hash, i) = (start, 0)
    while (i < data.length) {
      hash = 31 * hash + data(i)
      i += 1
    }
    hash
  }

  /** Without zeros at the end of its fraction, as HiveDecimal is. */
  private def trimmed(value: Decimal): BigDecimal = {
    val stripped = value.toJavaBigDecimal.stripTrailingZeros
    if (stripped.scale < 0) stripped.setScale(0) else stripped
  }
}

final private class StructHash(types: Array[DataType], fields: Array[HiveHash]) extends HiveHash {
  override def of(value: Any): Int = {
    val row = value.asInstanceOf[InternalRow]
    fields.indices.foldLeft(0) { (before, i) =>
      31 * before + (if (row.isNullAt(i)) 0 else fields(i).of(row.get(i, types(i))))
    }
  }
}

final private class ListHash(type_ : DataType, element: HiveHash) extends HiveHash {
  override def of(value: Any): Int = {
    val array = value.asInstanceOf[ArrayData]
    (0 until array.numElements()).foldLeft(0) { (before, i) =>
      31 * before + (if (array.isNullAt(i)) 0 else element.of(array.get(i, type_)))
    }
  }
}

final private class MapHash(keyType: DataType, key: HiveHash, valueType: DataType, item: HiveHash) extends HiveHash {
  override def of(value: Any): Int = {
    val map = value.asInstanceOf[MapData]
    val (keys, items) = (map.keyArray(), map.valueArray())
    (0 until map.numElements()).map { i =>
      key.of(keys.get(i, keyType)) ^ (if (items.isNullAt(i)) 0 else item.of(items.get(i, valueType)))
    }.sum
  }
}

/** The hash of Hive's TimestampWritable: seconds since 1970 and nanoseconds of the java.sql.Timestamp that Hive makes
  * of the wall clock (ObjectInspectorUtils.hashCode of 3.1.3 and 4.1.0). That is as in java.util.Date: Julian before
  * 1582-10-15; by the offset before a gap, the later instant of an overlap, and before 1900 the zone's standard offset.
  *
  * @param timeZone
  *   of the wall clock; None if the values are one
  * @param server
  *   the zone of Hive's JVM
  */
final private class ServerTimestampHash(timeZone: Option[String], server: String) extends HiveHash {
  @transient private lazy val clock = timeZone.map(zone => new WallClock(ZoneId.of(zone, ZoneId.SHORT_IDS)))
  @transient private lazy val calendar =
    new GregorianCalendar(TimeZone.getTimeZone(ZoneId.of(server, ZoneId.SHORT_IDS)))

  override def of(value: Any): Int = {
    val micros = value.asInstanceOf[Long]
    val shown = clock.fold(micros)(_.toWall(micros))
    val nanos = Math.floorMod(shown, 1000000L).toInt * 1000
    val wall = LocalDateTime.ofEpochSecond(Math.floorDiv(shown, 1000000L), nanos, ZoneOffset.UTC)
    calendar.clear()
    calendar.set(
      wall.getYear,
      wall.getMonthValue - 1,
      wall.getDayOfMonth,
      wall.getHour,
      wall.getMinute,
      wall.getSecond
    )
    val seconds = Math.floorDiv(calendar.getTimeInMillis, 1000L)
    java.lang.Long.hashCode(seconds << 30 | nanos)
  }
}

/** Murmur3 of the bytes of Hive's TimestampWritableV2: 31 bits of the wall clock's seconds, with the highest bit set if
  * there is more; then the fraction, its nine digits backwards; then the other bits of the seconds.
  *
  * @param timeZone
  *   of the wall clock; None if the values are one
  */
final private class TimestampHash(timeZone: Option[String]) extends HiveHash {
  @transient private lazy val clock = timeZone.map(zone => new WallClock(ZoneId.of(zone, ZoneId.SHORT_IDS)))

  override def of(value: Any): Int = {
    val micros = value.asInstanceOf[Long]
    val wall = clock.fold(micros)(_.toWall(micros))
    HiveHash.murmur(serialized(Math.floorDiv(wall, 1000000L), Math.floorMod(wall, 1000000L).toInt * 1000))
  }

  private def serialized(seconds: Long, nanos: Int): Array[Byte] = {
    val isWide = seconds < 0 || seconds > Int.MaxValue
    val fraction = f"$nanos%09d".reverse.toInt
    val first = seconds.toInt & Int.MaxValue
    val out = new ByteArrayOutputStream
    out.write(ByteBuffer.allocate(4).putInt(if (isWide || fraction != 0) first | Int.MinValue else first).array)
    if (isWide || fraction != 0) writeVLong(out, if (isWide) -fraction.toLong - 1 else fraction.toLong)
    if (isWide) writeVLong(out, seconds >> 31)
    out.toByteArray
  }

  /** As Hadoop's WritableUtils does. */
  private def writeVLong(out: ByteArrayOutputStream, value: Long): Unit =
    if (value >= -112 && value <= 127) out.write(value.toInt)
    else {
      val magnitude = if (value < 0) ~value else value
      val length = (64 - java.lang.Long.numberOfLeadingZeros(magnitude) + 7) / 8
      out.write((if (value < 0) -120 else -112) - length)
      for (i <- (0 until length).reverse) out.write((magnitude >>> 8 * i).toInt)
    }
}
